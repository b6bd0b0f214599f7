import type { AuditPage } from '#shared/audit-log.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import type { AppContext } from '#server/context.ts';
import type { AuditEntryRecord } from '#server/db/records/audit-entry.ts';
import { pageBounds } from '#server/http/paging.ts';
import { presentEntries } from './present-entry.ts';
import { type AuditQuery, type AuditReader, scanEntries } from './scan-entries.ts';

/** Entries that one request reads. */
const mostRead = 5_000;

/** A page of entries, newest first. @throws {AppError} `invalid_field` for a cursor that is none */
export async function listEntries(
  context: AppContext,
  { cursor, page_size, ...query }: AuditQuery & { cursor?: string | undefined; page_size?: number | undefined },
  reader: AuditReader,
): Promise<AuditPage> {
  if (cursor !== undefined && !/^[\w-]{1,200}$/.test(cursor)) throw invalidField('cursor', fieldRules.invalid);
  const { size } = pageBounds({ page_size });
  const found: AuditEntryRecord[] = [];
  let read = 0;
  let last: AuditEntryRecord | undefined;
  for await (const rows of scanEntries(context, query, reader, cursor)) {
    for (const { entry, isMatch } of rows) {
      if (isMatch && found.length === size) return { items: await presentEntries(context, found, reader), cursor: found.at(-1)?.id };
      if (isMatch) found.push(entry);
      last = entry;
    }
    read += rows.length;
    if (read >= mostRead) break;
  }
  const items = await presentEntries(context, found, reader);
  return read >= mostRead && last !== undefined ? { items, cursor: last.id, searched_until: last.at } : { items };
}
