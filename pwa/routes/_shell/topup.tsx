import { createFileRoute, useLocation } from '@tanstack/react-router';
import { useCallback } from 'react';
import { signedInOnly } from '#pwa/app/guards.ts';
import { WalletScreen } from '#pwa/features/wallet/wallet-screen.tsx';
import { WalletSearch } from '#pwa/features/wallet/wallet-search.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { sharedText } from '#pwa/offline/shared-text.ts';

const OwnLimits = lazyPart(
  async () => {
    const [part] = await Promise.all([import('#pwa/records/limits/own-limits.tsx'), loadTexts('limits')]);
    return part;
  },
  (part) => part.OwnLimits,
);

export const Route = createFileRoute('/_shell/topup')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: signedInOnly,
  loader: () => loadTexts('wallet'),
  component: Wallet,
});

function Wallet() {
  const search = WalletSearch.parse(Route.useSearch());
  const navigate = Route.useNavigate();
  const shared = sharedText(useLocation({ select: ({ hash }) => hash }));
  // The code is not to stay in the address, nor to come back with the back button.
  const handleSharedTaken = useCallback(() => void navigate({ search: true, hash: '', replace: true }), [navigate]);
  return (
    <WalletScreen
      search={search}
      onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })}
      shared={shared}
      onSharedTaken={handleSharedTaken}
      limits={<OwnLimits />}
    />
  );
}
