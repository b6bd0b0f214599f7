import { createFileRoute, notFound } from '@tanstack/react-router';
import { OAuthScreen } from '#pwa/features/session/oauth-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** Not taken from the contract, which the sign-in would load with it. */
const providers = ['github', 'oidc', 'linuxdo', 'telegram'] as const;

export const Route = createFileRoute('/_plain/oauth/$provider')({
  beforeLoad: ({ params }) => {
    const provider = providers.find((name) => name === params.provider);
    if (provider === undefined) throw notFound();
    // Read as they stand: the router takes texts that look like numbers for numbers.
    return { provider, answer: { search: window.location.search, hash: window.location.hash } };
  },
  loader: () => loadTexts('signin'),
  component: OAuthCallback,
});

function OAuthCallback() {
  const { provider, answer } = Route.useRouteContext();
  const navigate = Route.useNavigate();
  return (
    <OAuthScreen
      provider={provider}
      answer={answer}
      onSignedIn={(from) => void navigate({ href: from ?? '/token', replace: true })}
      onFailed={(wasSignedIn) => void navigate({ to: wasSignedIn ? '/personal' : '/login', replace: true })}
      onBound={() => void navigate({ to: '/personal', replace: true })}
    />
  );
}
