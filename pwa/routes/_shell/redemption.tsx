import { createFileRoute } from '@tanstack/react-router';
import { adminOnly } from '#pwa/app/guards.ts';
import { RedemptionSearch } from '#pwa/features/redemptions/redemption-search.ts';
import { RedemptionsScreen } from '#pwa/features/redemptions/redemptions-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/redemption')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: adminOnly,
  loader: () => loadTexts('redemptions', 'editing'),
  component: Redemptions,
});

function Redemptions() {
  const search = RedemptionSearch.parse(Route.useSearch());
  const navigate = Route.useNavigate();
  return <RedemptionsScreen search={search} onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })} />;
}
