import { queryOptions, useQuery } from '@tanstack/react-query';
import { channelApi, type FailingChannel } from '#shared/channels.ts';
import { Role } from '#shared/roles.ts';
import { call } from './call.ts';
import { useStoredUser } from './self.ts';

const interval = 30_000;

/** Its key begins like those of the lists of channels: an edit of a channel refetches this too. */
export const channelSummaryQuery = queryOptions({
  queryKey: ['channels', 'summary'],
  queryFn: ({ signal }) => call(channelApi.summary, { signal }),
  meta: { offline: true },
  refetchInterval: interval,
});

/** Enabled channels that fail. Its key begins like those of the lists: a change of channels refetches it. */
export const failingChannelsQuery = queryOptions({
  queryKey: ['channels', 'failing'],
  queryFn: ({ signal }): Promise<FailingChannel[]> => call(channelApi.failing, { signal }),
  meta: { offline: true },
  refetchInterval: 60_000,
});

/** How many channels fail or were disabled by the system, for administrators: what the navigation marks. */
export function useChannelAlarms(): number {
  const isAdmin = (useStoredUser()?.role ?? 0) >= Role.admin;
  const disabled = useDisabledChannels();
  const { data: failing } = useQuery({ ...failingChannelsQuery, enabled: isAdmin, select: (all) => all.length });
  return isAdmin ? disabled + (failing ?? 0) : 0;
}

/** How many channels the system has disabled, for administrators; 0 for everybody else and while it is not known. */
export function useDisabledChannels(): number {
  const isAdmin = (useStoredUser()?.role ?? 0) >= Role.admin;
  const { data } = useQuery({ ...channelSummaryQuery, enabled: isAdmin });
  return isAdmin ? (data?.disabled_by_system ?? 0) : 0;
}
