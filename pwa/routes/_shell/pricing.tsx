import { createFileRoute } from '@tanstack/react-router';
import { PricingScreen } from '#pwa/features/pricing/pricing-screen.tsx';
import { PricingSearch } from '#pwa/features/pricing/pricing-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/pricing')({
  validateSearch: PricingSearch,
  loader: () => loadTexts('pricing'),
  component: Pricing,
});

function Pricing() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  return <PricingScreen search={search} onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })} />;
}
