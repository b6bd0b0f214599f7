import { z } from 'zod/mini';
import { BillRequestState, DriftBy, DriftState } from '#shared/provider-bills.ts';
import { ListSearch, SearchInt } from '#pwa/ui/list/list-search.ts';

export const views = ['drift', 'requests', 'imports', 'accounts'] as const;
export type BillsView = (typeof views)[number];

export const periods = ['week', 'days', 'month', 'last_month', 'custom'] as const;
export type BillsPeriod = (typeof periods)[number];
export const usualPeriod: BillsPeriod = 'days';

const Day = z.catch(z.optional(z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/))), undefined);

/** Search parameters of bills. `open`: a row's key; in the list of accounts `new` is a new one, in the list of imports a new file. */
export const BillsSearch = z.extend(ListSearch, {
  view: z.catch(z.optional(z.enum(views)), undefined),
  period: z.catch(z.optional(z.enum(periods)), undefined),
  /** Bounds of a custom period, both inclusive. */
  from: Day,
  to: Day,
  account: SearchInt,
  by: z.catch(z.optional(DriftBy), undefined),
  state: z.catch(z.optional(DriftState), undefined),
  request: z.catch(z.optional(BillRequestState), undefined),
});
export type BillsSearch = z.infer<typeof BillsSearch>;

const dayMs = 86_400_000;

/** Days of a period at a moment (milliseconds), in UTC as most bills have them. */
export function daysOf(
  { period = usualPeriod, from, to }: Pick<BillsSearch, 'period' | 'from' | 'to'>,
  now: number,
): { from?: string; to?: string } {
  const day = (time: number): string => new Date(time).toISOString().slice(0, 10);
  const today = day(now);
  const [year, month] = [new Date(now).getUTCFullYear(), new Date(now).getUTCMonth()];
  if (period === 'week') return { from: day(now - 6 * dayMs), to: today };
  if (period === 'month') return { from: day(Date.UTC(year, month, 1)), to: today };
  if (period === 'last_month') return { from: day(Date.UTC(year, month - 1, 1)), to: day(Date.UTC(year, month, 0)) };
  if (period === 'custom') return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  return { from: day(now - 30 * dayMs), to: today };
}
