// The audit log as a file, newest first, written as it is read: a page of entries is in memory, whatever their number is.
import { type AuditChange, type AuditEntry, type AuditFormat, auditLogApi } from '#shared/audit-log.ts';
import { csvMark, csvRow } from '#shared/csv.ts';
import type { Download, RequestFacts } from '#server/http/call.ts';
import { createExports } from '#server/http/exports.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { presentEntries } from './present-entry.ts';
import { type AuditQuery, type AuditReader, scanEntries } from './scan-entries.ts';

export type AuditExport = (query: AuditQuery & { format?: AuditFormat | undefined }, reader: AuditReader, facts: RequestFacts) => Download;

/** The result throws `exports_running`. */
export function createAuditExport(host: RouteHost): AuditExport {
  const { context } = host;
  const open = createExports(host);

  async function* parts(query: AuditQuery, format: AuditFormat, reader: AuditReader): AsyncGenerator<string> {
    if (format === 'csv') yield csvMark + csvRow(columns);
    for await (const rows of scanEntries(context, query, reader)) {
      const found = rows.filter(({ isMatch }) => isMatch).map(({ entry }) => entry);
      const entries = await presentEntries(context, found, reader);
      // Also without matches, so that the rights of the reader are checked.
      yield entries.map((entry) => (format === 'csv' ? csvLine(entry) : `${JSON.stringify(entry)}\n`)).join('');
    }
  }

  return ({ format = 'csv', ...query }, reader, facts) => {
    const day = new Date(context.now()).toISOString().slice(0, 10);
    const { id: userId, role } = reader;
    const file = { fileName: `audit-log-${day}.${format}`, format, parts: () => parts(query, format, reader) };
    return open({ endpoint: auditLogApi.exportAll, facts, userId, role }, file);
  };
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
