import { createFileRoute } from '@tanstack/react-router';
import { StatusScreen } from '#pwa/features/status/status-screen.tsx';
import { StatusSearch } from '#pwa/features/status/status-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** State of the models, and incidents. `StatusPage` decides who may read it. */
export const Route = createFileRoute('/_shell/status')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  loader: () => loadTexts('status'),
  component: Status,
});

function Status() {
  const search = StatusSearch.parse(Route.useSearch());
  const navigate = Route.useNavigate();
  return <StatusScreen search={search} onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })} />;
}
