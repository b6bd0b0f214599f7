import { createFileRoute } from '@tanstack/react-router';
import { signedInOnly } from '#pwa/app/guards.ts';
import { ChatRedirect } from '#pwa/features/chat/chat-redirect.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/chat2link')({
  beforeLoad: signedInOnly,
  loader: () => loadTexts('chat'),
  component: ChatRedirect,
});
