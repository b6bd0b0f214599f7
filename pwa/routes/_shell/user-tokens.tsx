import { createFileRoute } from '@tanstack/react-router';
import { adminOnly } from '#pwa/app/guards.ts';
import { UserTokensScreen } from '#pwa/features/user-tokens/user-tokens-screen.tsx';
import { UserTokensSearch } from '#pwa/features/user-tokens/user-tokens-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** Tokens of users, for administrators. */
export const Route = createFileRoute('/_shell/user-tokens')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: adminOnly,
  loader: () => loadTexts('user-tokens', 'tokens', 'editing'),
  component: UserTokens,
});

function UserTokens() {
  const navigate = Route.useNavigate();
  return (
    <UserTokensScreen
      search={UserTokensSearch.parse(Route.useSearch())}
      onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })}
    />
  );
}
