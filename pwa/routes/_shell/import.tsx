import { createFileRoute } from '@tanstack/react-router';
import { rootOnly } from '#pwa/app/guards.ts';
import { ImportsScreen } from '#pwa/features/imports/imports-screen.tsx';
import { ImportsSearch } from '#pwa/features/imports/imports-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** Imports from other gateways: the one that is under way, a new one, and former ones. */
export const Route = createFileRoute('/_shell/import')({
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: rootOnly,
  loader: () => loadTexts('imports'),
  component: Imports,
});

function Imports() {
  const navigate = Route.useNavigate();
  return (
    <ImportsScreen
      search={ImportsSearch.parse(Route.useSearch())}
      onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })}
    />
  );
}
