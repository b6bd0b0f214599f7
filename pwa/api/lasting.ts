// How long a balance lasts, by the pace of the last week.
import { queryOptions } from '@tanstack/react-query';
import { LogType, logApi } from '#shared/logs.ts';
import { call } from './call.ts';

const day = 86_400;

/** Own spend over the last seven days. */
export const weekSpendQuery = queryOptions({
  queryKey: ['week-spend'],
  queryFn: ({ signal }) => {
    const now = Math.floor(Date.now() / 1000);
    return call(logApi.statSelf, { query: { type: LogType.consumption, start_timestamp: now - 7 * day, end_timestamp: now + 60 }, signal });
  },
  meta: { offline: true },
});

/** In days; a new account has not had seven. Undefined when nothing was spent or nothing is left. */
export function daysLeft(balance: number, spent: number, createdAt: number): number | undefined {
  if (spent <= 0 || balance <= 0) return undefined;
  const days = Math.min(7, Math.max(1, (Date.now() / 1000 - createdAt) / day));
  return (balance / spent) * days;
}

/** In days while that says something: from a year on the pace of a week is no forecast. With a count of whole days. */
export function lastingText(days: number): 'more_than_a_year' | 'days' | 'less_than_a_day' {
  if (days > 365) return 'more_than_a_year';
  return days >= 1 ? 'days' : 'less_than_a_day';
}
