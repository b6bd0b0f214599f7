import { createFileRoute } from '@tanstack/react-router';
import { signedInOnly } from '#pwa/app/guards.ts';
import { OutboxScreen } from '#pwa/features/settings/outbox-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/outbox')({
  beforeLoad: signedInOnly,
  loader: () => loadTexts('settings', 'setting_parts', 'outbox', 'limits'),
  component: OutboxScreen,
});
