import { createFileRoute, redirect } from '@tanstack/react-router';
import { adminOnly } from '#pwa/app/guards.ts';
import { KeysScreen } from '#pwa/features/channel-keys/keys-screen.tsx';
import { KeysSearch } from '#pwa/features/channel-keys/keys-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** The keys of one channel. */
export const Route = createFileRoute('/_shell/channel-keys/$id')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: (options) => {
    if (!/^\d{1,15}$/.test(options.params.id)) throw redirect({ to: '/channel' });
    return adminOnly(options);
  },
  loader: () => loadTexts('channel-keys'),
  component: ChannelKeys,
});

function ChannelKeys() {
  const { id } = Route.useParams();
  const navigate = Route.useNavigate();
  return (
    <KeysScreen
      key={id}
      channel={Number(id)}
      search={KeysSearch.parse(Route.useSearch())}
      onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })}
    />
  );
}
