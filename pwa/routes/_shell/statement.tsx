import { createFileRoute } from '@tanstack/react-router';
import { adminOnly, signedInOnly } from '#pwa/app/guards.ts';
import { StatementScreen } from '#pwa/features/statements/statement-screen.tsx';
import { StatementSearch } from '#pwa/features/statements/statement-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/statement')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: (opening) => ('user' in opening.search ? adminOnly(opening) : signedInOnly(opening)),
  loader: () => loadTexts('statement'),
  component: OneStatement,
});

function OneStatement() {
  const navigate = Route.useNavigate();
  return (
    <StatementScreen
      search={StatementSearch.parse(Route.useSearch())}
      onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })}
    />
  );
}
