import { createFileRoute } from '@tanstack/react-router';
import { ChatScreen } from '#pwa/features/chat/chat-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/chat/$id')({ loader: () => loadTexts('chat'), component: Chat });

function Chat() {
  const { id } = Route.useParams();
  return <ChatScreen key={id} index={id} />;
}
