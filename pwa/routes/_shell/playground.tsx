import { createFileRoute } from '@tanstack/react-router';
import { signedInOnly } from '#pwa/app/guards.ts';
import { PlaygroundScreen } from '#pwa/features/playground/playground-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/playground')({
  beforeLoad: signedInOnly,
  loader: () => loadTexts('playground'),
  component: PlaygroundScreen,
});
