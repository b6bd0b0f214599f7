import type { AuditEntry } from '#shared/audit-log.ts';

/** A row of the list: one entry, or the entries of one call that did the same to many objects. */
export interface AuditRow {
  entry: AuditEntry;
  /** Further entries of the same call. */
  others: readonly AuditEntry[];
}

/** So many entries in a row are one. */
const leastFolded = 3;

/** Joins entries of a call that did the same to many objects, such as the codes that were created together. */
export function auditRows(entries: readonly AuditEntry[]): AuditRow[] {
  const rows: { entry: AuditEntry; others: AuditEntry[] }[] = [];
  for (const entry of entries) {
    const last = rows.at(-1);
    if (last !== undefined && isSameAct(last.entry, entry)) last.others.push(entry);
    else rows.push({ entry, others: [] });
  }
  return rows.flatMap(({ entry, others }) =>
    others.length + 1 >= leastFolded ? [{ entry, others }] : [entry, ...others].map((one) => ({ entry: one, others: [] })),
  );
}

function isSameAct(one: AuditEntry, other: AuditEntry): boolean {
  return (
    one.request_id !== '' &&
    one.request_id === other.request_id &&
    one.kind === other.kind &&
    one.action === other.action &&
    one.object !== other.object
  );
}
