import type { QueryClient } from '@tanstack/react-query';
import { Role } from '#shared/roles.ts';
import { storedUser } from '#pwa/api/stored-user.ts';
import { rememberedPageSize } from '#pwa/ui/list/list-search.ts';
import { LogSearch } from './log-address.ts';
import { logListOf, logsQuery, logSumsQuery } from './queries.ts';

/** Requests the first data of the screen while its parts are still loaded and drawn. */
export function preloadLogs(queryClient: QueryClient, address: unknown): void {
  const search = LogSearch.parse(address);
  // Sessions come with the part that shows them.
  if (search.view === 'sessions') return;
  const list = logListOf(search, (storedUser()?.role ?? 0) >= Role.admin);
  const page = { page: search.p ?? 1, size: search.size ?? rememberedPageSize(), cursor: search.after };
  void queryClient.prefetchQuery(logsQuery(list, page));
  void queryClient.prefetchQuery(logSumsQuery(list));
}
