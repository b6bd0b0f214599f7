// Search parameters of the log screen.
import { z } from 'zod/mini';
import type { LogCache, LogResult } from '#shared/logs.ts';
import { ListSearch, SearchInt, SearchText } from '#pwa/ui/list/list-search.ts';

export const ranges = ['quarter', 'hour', 'today', 'week', 'this_month', 'last_month', 'custom'] as const;
export type Range = (typeof ranges)[number];
export const defaultRange: Range = 'today';

export const results = ['success', 'failed', 'refused'] as const satisfies readonly LogResult[];

/** Calls one by one, or by the sessions of clients that they belong to. */
export const views = ['calls', 'sessions'] as const;
export type LogView = (typeof views)[number];
export const caches = ['broken'] as const satisfies readonly LogCache[];

export const LogSearch = z.extend(ListSearch, {
  view: z.catch(z.optional(z.enum(views)), undefined),
  range: z.catch(z.optional(z.enum(ranges)), undefined),
  /** Bounds of a range of one's own, unix seconds, both inclusive. Without them: everything. */
  from: SearchInt,
  to: SearchInt,
  type: z.catch(z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(6))), undefined),
  result: z.catch(z.optional(z.enum(results)), undefined),
  cache: z.catch(z.optional(z.enum(caches)), undefined),
  /** Wherever it stands in time: with it the range does not count. */
  request: SearchText,
  /** A client's session: its own id, or ours. Of calls a filter, of sessions the one that is opened. */
  session: SearchText,
  token: SearchText,
  /** Beginning of the name; in double quotes, the whole name; `%` stands for anything. */
  model: SearchText,
  group: SearchText,
  /** Of an organisation's calls: ids of the member (0: service accounts) and of the team. */
  member: SearchInt,
  team: SearchInt,
  /** For administrators. */
  user: SearchText,
  channel: SearchInt,
  /** Where the page begins, beyond what can be paged by number. */
  after: SearchText,
});
export type LogSearch = z.infer<typeof LogSearch>;
