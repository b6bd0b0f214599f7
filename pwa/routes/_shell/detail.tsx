import { createFileRoute } from '@tanstack/react-router';
import { signedInOnly } from '#pwa/app/guards.ts';
import { DashboardScreen } from '#pwa/features/dashboard/dashboard-screen.tsx';
import { DashboardSearch } from '#pwa/features/dashboard/dashboard-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/detail')({
  validateSearch: DashboardSearch,
  beforeLoad: signedInOnly,
  loader: () => loadTexts('dashboard'),
  component: Dashboard,
});

function Dashboard() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  return <DashboardScreen search={search} onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })} />;
}
