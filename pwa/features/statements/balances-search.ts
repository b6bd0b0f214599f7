// Search parameters of the table of all accounts: the month and the page.
import { z } from 'zod/mini';
import { ListSearch } from '#pwa/ui/list/list-search.ts';
import { monthStart } from '#pwa/ui/local-days.ts';

export const BalancesSearch = z.extend(ListSearch, {
  /** `2026-11`, in the device's time zone; absent: the current one. */
  month: z.catch(z.optional(z.string().check(z.regex(/^\d{4}-(0[1-9]|1[0-2])$/))), undefined),
});
export type BalancesSearch = z.infer<typeof BalancesSearch>;

/** Unix seconds, half-open; `isCurrent`: the month is not over. `now` in milliseconds. */
export function spanOfMonth({ month }: Pick<BalancesSearch, 'month'>, now: number): { start: number; end: number; isCurrent: boolean } {
  const current = monthStart(now);
  const [year, number] = (month ?? '').split('-').map(Number);
  const requested = year === undefined || number === undefined ? current : Math.floor(new Date(year, number - 1, 1).getTime() / 1000);
  // The future has no balances.
  const start = Math.min(requested, current);
  return { start, end: monthStart(start * 1000, 1), isCurrent: start === current };
}

/** The month so many months after the one that begins at `start` (unix seconds), as the address has it. */
export function monthAfter(start: number, months: number): string {
  const date = new Date(monthStart(start * 1000, months) * 1000);
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}`;
}
