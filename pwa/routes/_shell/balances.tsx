import { createFileRoute } from '@tanstack/react-router';
import { adminOnly } from '#pwa/app/guards.ts';
import { BalancesScreen } from '#pwa/features/statements/balances-screen.tsx';
import { BalancesSearch, spanOfMonth } from '#pwa/features/statements/balances-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** The balances of all accounts over a month. */
export const Route = createFileRoute('/_shell/balances')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: adminOnly,
  loader: () => loadTexts('balances'),
  component: Balances,
});

function Balances() {
  const navigate = Route.useNavigate();
  const search = BalancesSearch.parse(Route.useSearch());
  return (
    <BalancesScreen
      search={search}
      onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })}
      onAccount={(user) => {
        const { start, end } = spanOfMonth(search, Date.now());
        void navigate({ to: '/statement', search: { user, period: 'custom', from: start, to: end } });
      }}
    />
  );
}
