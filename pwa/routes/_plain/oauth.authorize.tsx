import { createFileRoute, useLocation } from '@tanstack/react-router';
import { readAppRequest } from '#shared/app-authorizations.ts';
import { signedInOnly } from '#pwa/app/guards.ts';
import { ScreenProviders } from '#pwa/app/screen-providers.tsx';
import { ConsentScreen } from '#pwa/features/apps/consent-screen.tsx';
import { AppKeyLimits } from '#pwa/features/tokens/app-key-limits.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** The authorization endpoint of OAuth 2.1. */
export const Route = createFileRoute('/_plain/oauth/authorize')({
  beforeLoad: signedInOnly,
  loader: () => loadTexts('apps', 'tokens'),
  component: Consent,
});

function Consent() {
  const { searchStr, href } = useLocation();
  const navigate = Route.useNavigate();
  return (
    <ScreenProviders>
      <ConsentScreen
        key={href}
        read={readAppRequest('oauth', new URLSearchParams(searchStr))}
        Limits={AppKeyLimits}
        onSwitch={() => void navigate({ to: '/login', search: { switch: true, from: href } })}
      />
    </ScreenProviders>
  );
}
