import { useQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Log } from '#shared/logs.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { boundsOf, dayWithin, isAboutCalls } from './log-search.ts';
import { daySumQuery, type LogList } from './queries.ts';

/** So many days of one page get their sum; further ones stand without. */
const summedDays = 8;

/** The ledger day of a row, with what its calls cost. */
export function useLogDays(list: LogList, rows: readonly Log[], whole: number | undefined) {
  const { t } = useTranslation();
  const format = useFormat();
  const now = Date.now();
  const bounds = boundsOf(list.range, now);
  const keys = [...new Set(rows.map((row) => format.dayKey(row.created_at)))];
  const today = format.dayKey(now / 1000);
  // Within one day, the sum of the range is the sum of the day.
  const isOneDay = bounds.start !== undefined && format.dayKey(bounds.start) === format.dayKey(bounds.end ?? now / 1000);
  const summed = isOneDay ? [] : keys.slice(0, summedDays);
  const days = summed.flatMap((key) => {
    const row = rows.find((one) => format.dayKey(one.created_at) === key);
    return row === undefined ? [] : [{ key, bounds: dayWithin(row.created_at, bounds) }];
  });
  const results = useQueries({ queries: days.map((day) => daySumQuery(list, day.bounds)) });
  const sums = new Map(days.map((day, index) => [day.key, results[index]?.data?.quota]));

  return (row: Log) => {
    const key = format.dayKey(row.created_at);
    const day = format.day(row.created_at);
    const quota = isOneDay ? whole : sums.get(key);
    return {
      key,
      label: key === today ? t('logs.day.today', { day }) : day,
      // Sums are about calls: above other rows they would say nothing.
      sum: quota === undefined || !isAboutCalls(list.filters) ? undefined : <b>{format.charge(quota)}</b>,
    };
  };
}
