import { createFileRoute } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { heldUser, onStoredUserChange } from '#pwa/api/stored-user.ts';
import { Shell } from '#pwa/app/shell/shell.tsx';
import { SignInAgain } from '#pwa/features/session/sign-in-again-part.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** Every screen but sign-in, registration and set-up stands in the shell. */
export const Route = createFileRoute('/_shell')({
  loader: ({ cause, context }) => {
    if (cause === 'enter')
      void import('#pwa/app/shell/preload-shell.ts').then(
        (part) => part.preloadShell(context.queryClient),
        () => undefined,
      );
    return loadTexts('shell');
  },
  component: ShellRoute,
});

function ShellRoute() {
  const isHeld = useSyncExternalStore(onStoredUserChange, heldUser) !== null;
  return (
    <>
      <Shell />
      {/* Outside the page, which is inert below an open sheet. */}
      {isHeld && createPortal(<SignInAgain />, document.body)}
    </>
  );
}
