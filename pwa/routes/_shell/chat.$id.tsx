import { createFileRoute } from '@tanstack/react-router';
import { ChatScreen } from '#pwa/features/chat/chat-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/chat/$id')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>): { token?: string | number } =>
    typeof search.token === 'string' || typeof search.token === 'number' ? { token: search.token } : {},
  loader: () => loadTexts('chat'),
  component: Chat,
});

function Chat() {
  const { id } = Route.useParams();
  const { token } = Route.useSearch();
  return <ChatScreen key={id} index={id} tokenId={/^\d{1,15}$/.test(String(token)) ? Number(token) : undefined} />;
}
