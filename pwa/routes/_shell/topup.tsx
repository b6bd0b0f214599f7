import { createFileRoute } from '@tanstack/react-router';
import { signedInOnly } from '#pwa/app/guards.ts';
import { WalletScreen } from '#pwa/features/wallet/wallet-screen.tsx';
import { WalletSearch } from '#pwa/features/wallet/wallet-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/topup')({
  validateSearch: WalletSearch,
  beforeLoad: signedInOnly,
  loader: () => loadTexts('wallet'),
  component: Wallet,
});

function Wallet() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  return <WalletScreen search={search} onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })} />;
}
