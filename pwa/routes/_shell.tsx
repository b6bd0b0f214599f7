import { createFileRoute } from '@tanstack/react-router';
import { Shell } from '#pwa/app/shell/shell.tsx';

/** Every screen but sign-in, registration and set-up stands in the shell. */
export const Route = createFileRoute('/_shell')({ component: Shell });
