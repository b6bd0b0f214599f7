import { createFileRoute } from '@tanstack/react-router';
import { Shell } from '#pwa/app/shell/shell.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** Every screen but sign-in, registration and set-up stands in the shell. */
export const Route = createFileRoute('/_shell')({
  loader: () => loadTexts('shell'),
  component: Shell,
});
