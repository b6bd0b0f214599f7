// The one way to edit a record that people edit side by side: it is based on a revision, judged on what is stored now, repeated when
// somebody else was faster, and announced where processes cache the record.
import { AppError } from '#shared/errors.ts';
import type { ChangeFeed } from '#server/db/changes.ts';
import type { Collection, Filter, Patch } from '#server/db/collection.ts';
import type { Records } from '#server/db/all-records.ts';
import type { Database } from '#server/db/database.ts';
import type { PathOf } from '#server/db/fields.ts';
import type { ChangeKind } from '#server/db/records/change.ts';

/** What each collection's edits are announced as; null: no process caches it. Options have a way of their own: `server/settings/option-writes.ts`. */
export const editedKinds = { users: 'user', tokens: 'token', channels: 'channel', redemptions: null } as const satisfies Partial<
  Record<keyof Records, ChangeKind | null>
>;

export type EditedName = keyof typeof editedKinds;

export interface Editable {
  id: number;
  revision: number;
}

/** New values; a field that is undefined stays as it is. */
export interface Change<T> {
  set: Partial<T>;
  unset?: readonly PathOf<T, undefined>[];
}

export interface RecordEdit<T> {
  id: number;
  /** A record that is not so does not exist for the editor. */
  where?: Filter<T>;
  /** What the edit is based on; absent: whatever is stored. */
  revision?: number | undefined;
  /** What is to be stored, judged on the current record; may throw, and may run again. Null: nothing. */
  change(current: T): Change<T> | null;
  /** The current record as the response to a conflict. */
  present?(current: T): unknown;
}

export interface Edited<T> {
  before: T;
  /** `before` itself when nothing was to be stored. */
  after: T;
}

/** An edit is repeated this often. Usage does not move the revision, so only other editors count. */
const tries = 20;

/**
 * Edits one record and announces it; null when there is none.
 * @throws {AppError} `revision_conflict` with the current record when the edit is based on another revision
 */
export function editRecord<Name extends EditedName>(
  context: { db: Database; changes: ChangeFeed },
  name: Name,
  edit: RecordEdit<Records[Name]>,
): Promise<Edited<Records[Name]> | null>;
export function editRecord(
  context: { db: Database; changes: ChangeFeed },
  name: EditedName,
  edit: RecordEdit<Editable>,
): Promise<Edited<Editable> | null> {
  return editAny(context, name, edit);
}

/** As `editRecord`, for those who do not know the collection. */
export async function editAny(
  { db, changes }: { db: Database; changes: ChangeFeed },
  name: EditedName,
  { id, where = {}, revision, change, present }: RecordEdit<Editable>,
): Promise<Edited<Editable> | null> {
  const records: Collection<Editable> = db.collection(name);
  for (let attempt = 1; ; attempt += 1) {
    const before = await records.first({ and: [{ id }, where] });
    if (before === null) return null;
    const isOutdated = revision !== undefined && revision !== before.revision;
    if (isOutdated || attempt > tries) throw new AppError('revision_conflict', {}, { data: present?.(before) });
    const wanted = change(before);
    if (wanted === null) return { before, after: before };
    const after = await records.patch({ and: [{ id, revision: before.revision }, where] }, patchOf(wanted));
    if (after === null) continue;
    const kind = editedKinds[name];
    if (kind !== null) await changes.announce(kind, id);
    return { before, after };
  }
}

export function patchOf({ set, unset }: Change<Editable>): Patch<Editable> {
  return { set, increment: { revision: 1 }, ...(unset === undefined ? {} : { unset }) };
}
