import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type AuditFormat, auditLogApi } from '#shared/audit-log.ts';
import { call } from '#pwa/api/call.ts';
import { type AuditFilters, serverFilters } from './audit-search.ts';

export const auditLogQuery = (filters: AuditFilters, { size, cursor }: { size: number; cursor: string | undefined }) =>
  queryOptions({
    queryKey: ['audit-log', filters, { size, cursor }],
    queryFn: ({ signal }) => call(auditLogApi.list, { query: { ...serverFilters(filters, Date.now()), page_size: size, cursor }, signal }),
    meta: { offline: true },
    placeholderData: keepPreviousData,
  });

/** Address of a file of the whole list, as it is filtered, at a moment (milliseconds). */
export function exportAddress(filters: AuditFilters, format: AuditFormat, now: number): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...serverFilters(filters, now), format })) {
    if (value !== undefined) query.set(name, String(value));
  }
  return `${auditLogApi.exportAll.path}?${query.toString()}`;
}
