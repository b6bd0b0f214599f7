import { createFileRoute, useLocation } from '@tanstack/react-router';
import { readAppRequest } from '#shared/app-authorizations.ts';
import { signedInOnly } from '#pwa/app/guards.ts';
import { ScreenProviders } from '#pwa/app/screen-providers.tsx';
import { ConsentScreen } from '#pwa/features/apps/consent-screen.tsx';
import { AppKeyLimits } from '#pwa/features/tokens/app-key-limits.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** Where applications made for OpenRouter send a browser: `/auth?callback_url=…`. */
export const Route = createFileRoute('/_plain/auth')({
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
        read={readAppRequest('openrouter', new URLSearchParams(searchStr))}
        Limits={AppKeyLimits}
        onSwitch={() => void navigate({ to: '/login', search: { switch: true, from: href } })}
      />
    </ScreenProviders>
  );
}
