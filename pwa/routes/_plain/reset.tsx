import { createFileRoute } from '@tanstack/react-router';
import { ResetScreen } from '#pwa/features/session/reset-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_plain/reset')({
  loader: () => loadTexts('signin'),
  component: ResetScreen,
});
