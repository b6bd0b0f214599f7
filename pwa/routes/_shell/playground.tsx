import { createFileRoute, useLocation } from '@tanstack/react-router';
import { signedInOnly } from '#pwa/app/guards.ts';
import { useCallback } from 'react';
import { PlaygroundScreen } from '#pwa/features/playground/playground-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { sharedText } from '#pwa/offline/shared-text.ts';

export const Route = createFileRoute('/_shell/playground')({
  beforeLoad: signedInOnly,
  loader: () => loadTexts('playground'),
  component: Playground,
});

function Playground() {
  const navigate = Route.useNavigate();
  const shared = sharedText(useLocation({ select: ({ hash }) => hash }));
  // It is not to be written into the question again with the back button.
  const handleSharedTaken = useCallback(() => void navigate({ hash: '', replace: true }), [navigate]);
  return <PlaygroundScreen shared={shared} onSharedTaken={handleSharedTaken} />;
}
