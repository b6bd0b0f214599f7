import { createFileRoute } from '@tanstack/react-router';
import { signedInOnly } from '#pwa/app/guards.ts';
import { DashboardScreen } from '#pwa/features/dashboard/dashboard-screen.tsx';
import { DashboardSearch } from '#pwa/features/dashboard/dashboard-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/detail')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: signedInOnly,
  loader: () => loadTexts('dashboard'),
  component: Dashboard,
});

function Dashboard() {
  const search = DashboardSearch.parse(Route.useSearch());
  const navigate = Route.useNavigate();
  return <DashboardScreen search={search} onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })} />;
}
