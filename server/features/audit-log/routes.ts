import { auditLogApi } from '#shared/audit-log.ts';
import { signedIn } from '#server/http/call.ts';
import { mountReading } from '#server/http/fair-reads.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { createAuditExport } from './export-entries.ts';
import { listEntries } from './list-entries.ts';

export function mountAuditLog(host: RouteHost): void {
  const exportEntries = createAuditExport(host);
  mountReading(host, auditLogApi.list, (call) => listEntries(call.context, call.query, signedIn(call).user));
  mount(host, auditLogApi.exportAll, (call) => {
    const { id, role } = signedIn(call).user;
    return exportEntries(call.query, { id, role }, call.facts);
  });
}
