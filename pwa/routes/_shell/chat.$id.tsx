import { createFileRoute } from '@tanstack/react-router';
import { ChatScreen } from '#pwa/features/chat/chat-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/chat/$id')({
  validateSearch: (search: Record<string, unknown>): { token?: string } =>
    search.token === undefined ? {} : { token: String(search.token) },
  loader: () => loadTexts('chat'),
  component: Chat,
});

function Chat() {
  const { id } = Route.useParams();
  const { token } = Route.useSearch();
  return <ChatScreen key={id} index={id} tokenId={token !== undefined && /^\d{1,15}$/.test(token) ? Number(token) : undefined} />;
}
