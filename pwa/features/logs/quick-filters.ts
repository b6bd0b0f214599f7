// Filters that a row offers: the list of what is like it in one thing.
import { otherOf } from '#shared/log-other.ts';
import type { Log } from '#shared/logs.ts';
import type { LogSearch } from './log-address.ts';
import { exactModel, type FilterKey } from './log-search.ts';

export interface QuickFilter {
  key: FilterKey;
  /** As it is called where it is offered. */
  value: string;
  change: Partial<LogSearch>;
}

/** In the order in which they are offered; without those that are set to this already. */
export function quickFilters(log: Log, { search, isAdmin }: { search: LogSearch; isAdmin: boolean }): QuickFilter[] {
  const offered: QuickFilter[] = [
    { key: 'model', value: log.model_name, change: { model: exactModel(log.model_name) } },
    // A test of a channel has none: the row says in Chinese what it was.
    { key: 'token', value: otherOf(log)?.['test_quota'] === undefined ? log.token_name : '', change: { token: log.token_name } },
    ...(isAdmin
      ? ([
          { key: 'user', value: log.username, change: { user: log.username } },
          { key: 'channel', value: log.channel > 0 ? String(log.channel) : '', change: { channel: log.channel } },
        ] as const)
      : []),
    { key: 'group', value: log.group, change: { group: log.group } },
    { key: 'type', value: String(log.type), change: { type: log.type } },
    { key: 'session', value: otherOf(log)?.session?.id ?? '', change: { session: otherOf(log)?.session?.key } },
    { key: 'request', value: log.request_id, change: { request: log.request_id } },
  ];
  return offered.filter(({ key, value, change }) => value !== '' && search[key] !== change[key]);
}
