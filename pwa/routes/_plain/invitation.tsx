import { createFileRoute, useLocation } from '@tanstack/react-router';
import { ScreenProviders } from '#pwa/app/screen-providers.tsx';
import { AcceptScreen } from '#pwa/features/invitations/accept-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** Where the link of an invitation leads; what opens it stands behind the `#`, which no server is sent. */
export const Route = createFileRoute('/_plain/invitation')({
  loader: () => loadTexts('invitation', 'register'),
  component: Accept,
});

function Accept() {
  const navigate = Route.useNavigate();
  const token = useLocation({ select: ({ hash }) => hash });
  return (
    <ScreenProviders>
      <AcceptScreen
        token={token}
        onEntered={() => void navigate({ to: '/first-call' })}
        onAccepted={() => void navigate({ to: '/login' })}
      />
    </ScreenProviders>
  );
}
