import type { QueryClient } from '@tanstack/react-query';
import { Role } from '#shared/roles.ts';
import { channelSummaryQuery, failingChannelsQuery } from '#pwa/api/disabled-channels.ts';
import { accountQuery, mayActing } from '#pwa/api/account.ts';
import { statusQuery } from '#pwa/api/site-status.ts';
import { storedUser } from '#pwa/api/stored-user.ts';

/** Requests the frame's data while its code is still loading: data that arrives during the first concurrent render would restart it. */
export function preloadShell(queryClient: QueryClient): void {
  void queryClient.prefetchQuery(statusQuery);
  const user = storedUser();
  if (user === null) return;
  if (mayActing('usage')) void queryClient.prefetchQuery(accountQuery());
  if (user.role < Role.admin) return;
  void queryClient.prefetchQuery(channelSummaryQuery);
  void queryClient.prefetchQuery(failingChannelsQuery);
}
