import { createFileRoute } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { heldUser, onStoredUserChange } from '#pwa/api/stored-user.ts';
import { Shell } from '#pwa/app/shell/shell.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';

/** Every screen but sign-in, registration and set-up stands in the shell. */
export const Route = createFileRoute('/_shell')({
  loader: () => loadTexts('shell'),
  component: ShellRoute,
});

// Seldom needed.
const SignInAgain = lazyPart(
  async () => {
    await loadTexts('signin');
    return import('#pwa/features/session/sign-in-again.tsx');
  },
  (part) => part.SignInAgain,
);

function ShellRoute() {
  const isHeld = useSyncExternalStore(onStoredUserChange, heldUser) !== null;
  return (
    <>
      <Shell />
      {/* Beside the page, which is inert below an open sheet. */}
      {isHeld && createPortal(<SignInAgain />, document.body)}
    </>
  );
}
