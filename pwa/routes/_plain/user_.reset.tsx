import { createFileRoute } from '@tanstack/react-router';
import { ScreenProviders } from '#pwa/app/screen-providers.tsx';
import { NewPasswordScreen } from '#pwa/features/session/new-password-screen.tsx';
import { takeLentWayBack } from '#pwa/api/way-back.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_plain/user_/reset')({
  // Read as they stand: the router takes texts that look like numbers for numbers.
  beforeLoad: () => {
    takeLentWayBack(Date.now());
    return { link: new URLSearchParams(window.location.search) };
  },
  loader: () => loadTexts('signin'),
  component: NewPassword,
});

function NewPassword() {
  const { link } = Route.useRouteContext();
  return (
    <ScreenProviders>
      <NewPasswordScreen email={link.get('email') ?? ''} token={link.get('token') ?? ''} />
    </ScreenProviders>
  );
}
