// The audit log as a file, newest first, written as it is read: a page of entries is in memory, whatever their number is.
import { type AuditChange, type AuditEntry, type AuditFormat, auditLogApi } from '#shared/audit-log.ts';
import { csvMark, csvRow } from '#shared/csv.ts';
import { AppError } from '#shared/errors.ts';
import { Role } from '#shared/roles.ts';
import { Download, type RequestFacts } from '#server/http/call.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { presentEntries } from './present-entry.ts';
import { type AuditQuery, type AuditReader, scanEntries } from './scan-entries.ts';

/** Of one account at a time; each holds a page. */
const mostExports = 2;

export type AuditExport = (query: AuditQuery & { format?: AuditFormat | undefined }, reader: AuditReader, facts: RequestFacts) => Download;

/** The result throws `exports_running`. */
export function createAuditExport(host: RouteHost): AuditExport {
  const { context } = host;
  const running = new Map<number, number>();

  async function* write(
    query: AuditQuery,
    format: AuditFormat,
    { reader, facts }: { reader: AuditReader; facts: RequestFacts },
  ): AsyncGenerator<string> {
    running.set(reader.id, (running.get(reader.id) ?? 0) + 1);
    try {
      if (format === 'csv') yield csvMark + csvRow(columns);
      for await (const rows of scanEntries(context, query, reader)) {
        // A file that lacks its end is not taken for a whole one: its connection is cut.
        if (!(await mayStillRead(host, reader, facts))) throw new AppError('not_logged_in');
        const found = rows.filter(({ isMatch }) => isMatch).map(({ entry }) => entry);
        const entries = await presentEntries(context, found, reader);
        if (entries.length > 0) yield entries.map((entry) => (format === 'csv' ? csvLine(entry) : `${JSON.stringify(entry)}\n`)).join('');
      }
    } finally {
      const left = (running.get(reader.id) ?? 1) - 1;
      if (left > 0) running.set(reader.id, left);
      else running.delete(reader.id);
    }
  }

  return ({ format = 'csv', ...query }, reader, facts) => {
    if ((running.get(reader.id) ?? 0) >= mostExports) throw new AppError('exports_running', {}, { retryAfter: 5 });
    const day = new Date(context.now()).toISOString().slice(0, 10);
    return new Download({
      type: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
      fileName: `audit-log-${day}.${format}`,
      parts: write(query, format, { reader, facts }),
    });
  };
}

/** The same account with the same rights. */
async function mayStillRead(host: RouteHost, { id, role }: AuditReader, facts: RequestFacts): Promise<boolean> {
  try {
    const caller = await host.identify(facts, auditLogApi.exportAll);
    return caller?.user.id === id && caller.user.role >= Role.admin && caller.user.role >= role;
  } catch (failure) {
    // An unavailable database does not revoke access.
    if (failure instanceof AppError && failure.status < 500) return false;
    throw failure;
  }
}

const columns = [
  'time',
  'actor',
  'by',
  'kind',
  'object',
  'name',
  'action',
  'changes',
  'reason',
  'count',
  'address',
  'user_agent',
  'request_id',
  'unconfirmed',
];

function csvLine(entry: AuditEntry): string {
  const { actor, more } = entry;
  const changes = entry.changes.map(changeText);
  return csvRow([
    new Date(entry.at).toISOString(),
    actor.by === 'job' ? `system${actor.name === '' ? '' : ` (${actor.name})`}` : actor.name,
    actor.by,
    entry.kind,
    entry.object_id,
    entry.name,
    entry.action,
    [...changes, ...(more === 0 ? [] : [`+${more}`])].join('; '),
    entry.reason,
    entry.count,
    entry.ip,
    entry.user_agent,
    entry.request_id,
    entry.is_unconfirmed ? 'yes' : '',
  ]);
}

/** In no language: names of fields, values and signs. */
function changeText({ field, before, after, secret, added = [], removed = [], more = 0 }: AuditChange): string {
  if (secret !== undefined) return `${field}: ${secret}`;
  const names = [...added.map((one) => `+${one}`), ...removed.map((one) => `-${one}`), ...(more === 0 ? [] : [`… ${more}`])];
  if (names.length > 0) return `${field}: ${names.join(', ')}`;
  return `${field}: ${String(before ?? '')} → ${String(after ?? '')}`;
}
