import { queryOptions, useQuery } from '@tanstack/react-query';
import { channelApi } from '#shared/channels.ts';
import { Role } from '#shared/roles.ts';
import { call } from './call.ts';
import { useStoredUser } from './self.ts';

const interval = 30_000;

/** Begins like the keys of the lists of channels: whoever edits one has this asked anew as well. */
export const channelSummaryQuery = queryOptions({
  queryKey: ['channels', 'summary'],
  queryFn: ({ signal }) => call(channelApi.summary, { signal }),
  refetchInterval: interval,
});

/** How many channels the system has disabled, for administrators; 0 for everybody else and while it is not known. */
export function useDisabledChannels(): number {
  const isAdmin = (useStoredUser()?.role ?? 0) >= Role.admin;
  const { data } = useQuery({ ...channelSummaryQuery, enabled: isAdmin });
  return isAdmin ? (data?.disabled_by_system ?? 0) : 0;
}
