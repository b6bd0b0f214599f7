import { createFileRoute, useLocation } from '@tanstack/react-router';
import { signedInOnly } from '#pwa/app/guards.ts';
import { ScreenProviders } from '#pwa/app/screen-providers.tsx';
import { DeviceScreen } from '#pwa/features/apps/device-screen.tsx';
import { AppKeyLimits } from '#pwa/features/tokens/app-key-limits.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** Where programs without a browser send a person: RFC 8628. */
export const Route = createFileRoute('/_plain/device')({
  beforeLoad: signedInOnly,
  loader: () => loadTexts('apps', 'tokens'),
  component: Device,
});

function Device() {
  const { searchStr, href } = useLocation();
  const navigate = Route.useNavigate();
  return (
    <ScreenProviders>
      <DeviceScreen
        key={href}
        givenCode={(new URLSearchParams(searchStr).get('user_code') ?? '').slice(0, 20)}
        Limits={AppKeyLimits}
        onSwitch={() => void navigate({ to: '/login', search: { switch: true, from: href } })}
      />
    </ScreenProviders>
  );
}
