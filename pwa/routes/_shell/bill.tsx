import { createFileRoute } from '@tanstack/react-router';
import { adminOnly } from '#pwa/app/guards.ts';
import { BillsScreen } from '#pwa/features/provider-bills/bills-screen.tsx';
import { BillsSearch } from '#pwa/features/provider-bills/bills-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** Bills of providers against the log. */
export const Route = createFileRoute('/_shell/bill')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: adminOnly,
  loader: () => loadTexts('bills'),
  component: Bills,
});

function Bills() {
  const navigate = Route.useNavigate();
  return (
    <BillsScreen
      search={BillsSearch.parse(Route.useSearch())}
      onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })}
    />
  );
}
