import { createFileRoute } from '@tanstack/react-router';
import { PricingScreen } from '#pwa/features/pricing/pricing-screen.tsx';
import { PricingSearch } from '#pwa/features/pricing/pricing-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/pricing')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  loader: () => loadTexts('pricing'),
  component: Pricing,
});

function Pricing() {
  const search = PricingSearch.parse(Route.useSearch());
  const navigate = Route.useNavigate();
  return <PricingScreen search={search} onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })} />;
}
