import { createFileRoute, useLocation } from '@tanstack/react-router';
import { signedInOnly } from '#pwa/app/guards.ts';
import { ScreenProviders } from '#pwa/app/screen-providers.tsx';
import { JoinScreen } from '#pwa/features/organisations/join-screen.tsx';
import { searchOfSignIn } from '#pwa/api/way-back.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** Where the link of an invitation to an organisation leads; what opens it stands behind the `#`, which no server is sent. */
export const Route = createFileRoute('/_plain/organisation-invite')({
  beforeLoad: signedInOnly,
  loader: () => loadTexts('organisation_invite', 'acting'),
  component: Join,
});

function Join() {
  const navigate = Route.useNavigate();
  const { hash, href } = useLocation();
  return (
    <ScreenProviders>
      <JoinScreen
        key={hash}
        token={hash}
        onJoined={({ id }) => void navigate({ to: '/organisation/$id', params: { id: String(id) } })}
        onSwitch={() => void navigate({ to: '/login', search: { switch: true, ...searchOfSignIn(href) } })}
        onLeave={() => void navigate({ to: '/' })}
      />
    </ScreenProviders>
  );
}
