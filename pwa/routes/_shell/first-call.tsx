import { createFileRoute } from '@tanstack/react-router';
import { signedInOnly } from '#pwa/app/guards.ts';
import { FirstCallScreen } from '#pwa/features/first-call/first-call-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/first-call')({
  beforeLoad: signedInOnly,
  loader: () => loadTexts('guide'),
  component: FirstCallScreen,
});
