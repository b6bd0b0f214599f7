import { createFileRoute } from '@tanstack/react-router';
import { storedUser } from '#pwa/api/stored-user.ts';
import { ScreenProviders } from '#pwa/app/screen-providers.tsx';
import { SetupScreen } from '#pwa/features/setup/setup-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { atBase } from '#pwa/ui/base-path.ts';

export const Route = createFileRoute('/_plain/setup')({
  loader: () => loadTexts('setup'),
  component: Setup,
});

function Setup() {
  return (
    <ScreenProviders>
      <SetupScreen onDone={startAnew} />
    </ScreenProviders>
  );
}

/** Reloads the page: everything that was read before the set-up is out of date. A user whom the set-up signed in continues with the first call. */
function startAnew(): void {
  location.replace(atBase(storedUser() === null ? '/' : '/first-call'));
}
