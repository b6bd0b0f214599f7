// Reads the audit log newest first, by one index in its own order. What the index does not answer is compared row by row, a page at a time.
import type { AuditAction, AuditKind } from '#shared/audit-spec.ts';
import { Role } from '#shared/roles.ts';
import { auditIdAt } from '#server/audit-log/entries.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { AuditEntryRecord } from '#server/db/records/audit-entry.ts';

export interface AuditQuery {
  actor?: string | undefined;
  kind?: AuditKind | undefined;
  action?: AuditAction | undefined;
  object?: string | undefined;
  start_timestamp?: number | undefined;
  end_timestamp?: number | undefined;
  keyword?: string | undefined;
  without_system?: boolean | undefined;
}

export interface AuditReader {
  id: number;
  role: number;
}

const rowsAtOnce = 200;

/** Yields pages of entries that were read, each with whether it matches; oldest last. @param before id of the entry to continue after */
export async function* scanEntries(
  context: AppContext,
  query: AuditQuery,
  reader: AuditReader,
  before?: string,
): AsyncGenerator<{ entry: AuditEntryRecord; isMatch: boolean }[]> {
  const actor = await actorOf(context, query.actor);
  if (actor === null) return;
  const { start_timestamp: start, end_timestamp: end } = query;
  const from = start === undefined ? {} : { gte: auditIdAt(start * 1000) };
  const matches = matcherOf(query, actor, reader);
  let last = before;
  const latest = end === undefined ? undefined : auditIdAt((end + 1) * 1000);
  for (;;) {
    const until = last !== undefined && (latest === undefined || last < latest) ? last : latest;
    const id = { ...from, ...(until === undefined ? {} : { lt: until }) };
    const filter: Filter<AuditEntryRecord> = { ...indexed(query, actor), ...(Object.keys(id).length === 0 ? {} : { id }) };
    const rows = await context.db.collection('audit_entries').find(filter, { sort: [['id', -1]], limit: rowsAtOnce });
    if (rows.length > 0) yield rows.map((entry) => ({ entry, isMatch: matches(entry) }));
    last = rows.at(-1)?.id;
    if (last === undefined || rows.length < rowsAtOnce) return;
  }
}

/** The filter that leaves the fewest entries is given to the engine. */
function indexed({ object, kind }: AuditQuery, actor: string | undefined): Filter<AuditEntryRecord> {
  if (object !== undefined) return { object };
  if (actor !== undefined) return { actor };
  return kind === undefined ? {} : { kind };
}

/** Null: there is no such user. */
async function actorOf({ db }: AppContext, name: string | undefined): Promise<string | null | undefined> {
  if (name === undefined || name === 'system' || name === 'visitor') return name;
  const user = await db.collection('users').first({ username: name });
  return user === null ? null : `user:${user.id}`;
}

function matcherOf(query: AuditQuery, actor: string | undefined, reader: AuditReader): (entry: AuditEntryRecord) => boolean {
  const { kind, action, object, without_system: withoutSystem } = query;
  const keyword = query.keyword?.toLowerCase();
  return (entry) =>
    entry.pending_at === undefined &&
    (kind === undefined || entry.kind === kind) &&
    (action === undefined || entry.action === action) &&
    (object === undefined || entry.object === object) &&
    (actor === undefined || entry.actor === actor) &&
    (withoutSystem !== true || entry.actor !== 'system') &&
    mayRead(entry, reader) &&
    (keyword === undefined || textsOf(entry, reader).some((text) => text.toLowerCase().includes(keyword)));
}

/** Administrators read what concerns users below them, and what they did themselves. */
export function mayRead({ rank, actor }: AuditEntryRecord, { id, role }: AuditReader): boolean {
  return role >= Role.root || rank < role || actor === `user:${id}`;
}

/** Where an administrator was is for those above, and for that administrator. */
export function maySeeOrigin({ actor, actor_role: rank }: AuditEntryRecord, { id, role }: AuditReader): boolean {
  return role >= Role.root || rank < role || actor === `user:${id}`;
}

function textsOf(entry: AuditEntryRecord, reader: AuditReader): string[] {
  const { actor_name, object, name, reason = '', request_id, ip, changes } = entry;
  const origin = maySeeOrigin(entry, reader) ? [ip] : [];
  const values = changes.flatMap(({ field, before, after, added = [], removed = [] }) => [
    field,
    ...[before, after].flatMap((value) => (value === undefined ? [] : String(value))),
    ...added,
    ...removed,
  ]);
  return [actor_name, object, name, reason, request_id, ...origin, ...values];
}
