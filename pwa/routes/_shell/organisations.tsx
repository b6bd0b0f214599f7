import { createFileRoute } from '@tanstack/react-router';
import { signedInOnly } from '#pwa/app/guards.ts';
import { OrganisationsScreen } from '#pwa/features/organisations/organisations-screen.tsx';
import { OrganisationsSearch } from '#pwa/features/organisations/organisations-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** Organisations of the user, or of the site. */
export const Route = createFileRoute('/_shell/organisations')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: signedInOnly,
  loader: () => loadTexts('organisations', 'acting'),
  component: Organisations,
});

function Organisations() {
  const navigate = Route.useNavigate();
  return (
    <OrganisationsScreen
      search={OrganisationsSearch.parse(Route.useSearch())}
      onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })}
    />
  );
}
