// Search parameters of the statement, and its period.
import { z } from 'zod/mini';
import { SearchInt } from '#pwa/ui/list/list-search.ts';
import { monthStart } from '#pwa/ui/local-days.ts';

export const periods = ['this_month', 'last_month', 'this_year', 'custom'] as const;
export type Period = (typeof periods)[number];

export const StatementSearch = z.object({
  /** User of the statement; by default the reader. */
  user: SearchInt,
  period: z.catch(z.optional(z.enum(periods)), undefined),
  /** Bounds of a time of one's own, unix seconds, half-open. */
  from: SearchInt,
  to: SearchInt,
});
export type StatementSearch = z.infer<typeof StatementSearch>;

/** Unix seconds, half-open; without an end: up to now. */
export function spanOf({ period = 'this_month', from, to }: StatementSearch, now: number): { start: number; end?: number } {
  if (period === 'last_month') return { start: monthStart(now, -1), end: monthStart(now) };
  if (period === 'this_year') return { start: monthStart(now, -new Date(now).getMonth()) };
  if (period === 'custom') return { start: from ?? monthStart(now), end: to };
  return { start: monthStart(now) };
}
