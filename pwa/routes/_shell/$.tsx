import { createFileRoute } from '@tanstack/react-router';
import { NotFoundScreen } from '#pwa/app/not-found-screen.tsx';

/** Whatever no other route knows: said inside the frame, so that the way on is at hand. */
export const Route = createFileRoute('/_shell/$')({ component: NotFoundScreen });
