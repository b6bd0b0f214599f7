import { createFileRoute } from '@tanstack/react-router';
import { adminOnly } from '#pwa/app/guards.ts';
import { PriceUpdatesScreen } from '#pwa/features/price-updates/price-updates-screen.tsx';
import { PriceUpdatesSearch } from '#pwa/features/price-updates/price-updates-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** Price changes of the catalogue to review. */
export const Route = createFileRoute('/_shell/price-updates')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: adminOnly,
  loader: () => loadTexts('price-updates', 'price-lines'),
  component: PriceUpdates,
});

function PriceUpdates() {
  const navigate = Route.useNavigate();
  return (
    <PriceUpdatesScreen
      search={PriceUpdatesSearch.parse(Route.useSearch())}
      onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })}
    />
  );
}
