import { createFileRoute, useMatch, useNavigate } from '@tanstack/react-router';
import { adminOnly } from '#pwa/app/guards.ts';
import { UsersScreen } from '#pwa/features/users/users-screen.tsx';
import { UsersSearch } from '#pwa/features/users/users-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** The list; its child routes select the user in the panel next to it. */
export const Route = createFileRoute('/_shell/user')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: adminOnly,
  loader: () => loadTexts('users', 'editing'),
  component: Users,
});

function Users() {
  const search = UsersSearch.parse(Route.useSearch());
  const navigate = useNavigate();
  const isNew = useMatch({ from: '/_shell/user/add', shouldThrow: false }) !== undefined;
  const id = useMatch({ from: '/_shell/user/edit/$id', shouldThrow: false })?.params.id;
  return (
    <UsersScreen
      search={search}
      // Where one is, with the panel that is open there.
      onSearch={(change) => void navigate({ to: '.', search: (old) => ({ ...old, ...change }) })}
      open={isNew ? 'add' : id}
      onOpen={(open) => {
        if (open === undefined) void navigate({ to: '/user', search: true });
        else if (open === 'add') void navigate({ to: '/user/add', search: true });
        else void navigate({ to: '/user/edit/$id', params: { id: open }, search: true });
      }}
    />
  );
}
