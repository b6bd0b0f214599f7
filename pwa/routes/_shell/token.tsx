import { createFileRoute } from '@tanstack/react-router';
import { signedInOnly } from '#pwa/app/guards.ts';
import { TokenSearch } from '#pwa/features/tokens/token-search.ts';
import { TokensScreen } from '#pwa/features/tokens/tokens-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/token')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: signedInOnly,
  loader: () => loadTexts('tokens', 'editing'),
  component: Tokens,
});

function Tokens() {
  const search = TokenSearch.parse(Route.useSearch());
  const navigate = Route.useNavigate();
  return <TokensScreen search={search} onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })} />;
}
