import type { QueryClient } from '@tanstack/react-query';
import { LogType } from '#shared/logs.ts';
import { Role } from '#shared/roles.ts';
import { weekSpendQuery } from '#pwa/api/lasting.ts';
import { todoQuery } from '#pwa/api/operator-todo.ts';
import { storedUser } from '#pwa/api/stored-user.ts';
import { lastRowsQuery, ownTokensQuery, recentCallsQuery, spendQuery, todayQuery } from './queries.ts';

/** Requests the first data of the screen while its parts are still loaded and drawn. */
export function preloadHome(queryClient: QueryClient): void {
  const role = storedUser()?.role;
  if (role === undefined) return;
  void queryClient.prefetchQuery(todayQuery(role >= Role.admin));
  void queryClient.prefetchQuery(recentCallsQuery);
  void queryClient.prefetchQuery(weekSpendQuery);
  if (role < Role.admin) {
    void queryClient.prefetchQuery(ownTokensQuery);
    return;
  }
  void queryClient.prefetchQuery(todoQuery);
  void queryClient.prefetchQuery(spendQuery('model', true));
  void queryClient.prefetchQuery(spendQuery('user', true));
  void queryClient.prefetchQuery(lastRowsQuery(LogType.management));
}
