import { createFileRoute } from '@tanstack/react-router';
import { rootOnly } from '#pwa/app/guards.ts';
import { BackupsScreen } from '#pwa/features/backups/backups-screen.tsx';
import { BackupsSearch } from '#pwa/features/backups/backups-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** Backups of the database: the last ones, and one now. */
export const Route = createFileRoute('/_shell/backup')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: rootOnly,
  loader: () => loadTexts('backups'),
  component: Backups,
});

function Backups() {
  const navigate = Route.useNavigate();
  return (
    <BackupsScreen
      search={BackupsSearch.parse(Route.useSearch())}
      onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })}
    />
  );
}
