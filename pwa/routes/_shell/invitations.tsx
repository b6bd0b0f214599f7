import { createFileRoute } from '@tanstack/react-router';
import { adminOnly } from '#pwa/app/guards.ts';
import { InvitationsScreen } from '#pwa/features/invitations/invitations-screen.tsx';
import { InvitationsSearch } from '#pwa/features/invitations/invitations-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** Whom administrators have invited, and the list that invites more. */
export const Route = createFileRoute('/_shell/invitations')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: adminOnly,
  loader: () => loadTexts('invitations'),
  component: Invitations,
});

function Invitations() {
  const navigate = Route.useNavigate();
  return (
    <InvitationsScreen
      search={InvitationsSearch.parse(Route.useSearch())}
      onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })}
    />
  );
}
