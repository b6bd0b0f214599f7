import { createFileRoute } from '@tanstack/react-router';
import { signedInOnly } from '#pwa/app/guards.ts';
import { AppsScreen } from '#pwa/features/apps/apps-screen.tsx';
import { AppsSearch } from '#pwa/features/apps/apps-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** Applications with a key of the account. */
export const Route = createFileRoute('/_shell/apps')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: signedInOnly,
  loader: () => loadTexts('apps', 'tokens'),
  component: Apps,
});

function Apps() {
  const navigate = Route.useNavigate();
  return (
    <AppsScreen
      search={AppsSearch.parse(Route.useSearch())}
      onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })}
    />
  );
}
