import { type LogFormat, logApi } from '#shared/logs.ts';
import { ownTimeZone } from '#pwa/api/time-zone.ts';
import { boundsOf, serverFilters } from './log-search.ts';
import type { LogList } from './queries.ts';

/** The address of a file of the whole list, as it is filtered, at a moment (milliseconds). */
export function exportAddress({ isAdmin, filters, range }: LogList, format: LogFormat, now: number): string {
  const { start, end } = filters.request === undefined ? boundsOf(range, now) : {};
  const values = { ...serverFilters(filters), start_timestamp: start, end_timestamp: end, format, ...ownTimeZone() };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, String(value));
  return `${isAdmin ? logApi.exportAll.path : logApi.exportSelf.path}?${query.toString()}`;
}
