import { createFileRoute } from '@tanstack/react-router';
import { ChatsScreen } from '#pwa/features/chat/chats-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/chat/')({ loader: () => loadTexts('chat'), component: ChatsScreen });
