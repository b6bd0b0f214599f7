import { createFileRoute, useMatch, useNavigate } from '@tanstack/react-router';
import { adminOnly } from '#pwa/app/guards.ts';
import { ChannelsScreen } from '#pwa/features/channels/channels-screen.tsx';
import { ChannelsSearch } from '#pwa/features/channels/channels-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** The list; its child routes select the channel in the editor next to it. */
export const Route = createFileRoute('/_shell/channel')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: adminOnly,
  loader: ({ cause, context, location }) => {
    if (cause === 'enter')
      void import('#pwa/features/channels/preload-channels.ts').then(
        (part) => part.preloadChannels(context.queryClient, location.search),
        () => undefined,
      );
    return loadTexts('channels', 'editing');
  },
  component: Channels,
});

function Channels() {
  const search = ChannelsSearch.parse(Route.useSearch());
  const navigate = useNavigate();
  const isNew = useMatch({ from: '/_shell/channel/add', shouldThrow: false }) !== undefined;
  const id = useMatch({ from: '/_shell/channel/edit/$id', shouldThrow: false })?.params.id;
  return (
    <ChannelsScreen
      search={search}
      // Where one is, with the panel that is open there.
      onSearch={(change) => void navigate({ to: '.', search: (old) => ({ ...old, ...change }) })}
      open={isNew ? 'add' : id}
      onOpen={(open) => {
        if (search.next !== undefined && open === undefined) void navigate({ to: '/first-call' });
        else if (open === undefined) void navigate({ to: '/channel', search: true });
        else if (open === 'add') void navigate({ to: '/channel/add', search: true });
        else void navigate({ to: '/channel/edit/$id', params: { id: open }, search: true });
      }}
    />
  );
}
