// The only way to edit records that several people edit: checks the revision, validates against the stored record,
// retries on concurrent edits, and announces the change to caching processes.
import { AppError } from '#shared/errors.ts';
import type { ChangeFeed } from '#server/db/changes.ts';
import type { Collection, Filter, Patch } from '#server/db/collection.ts';
import type { Records } from '#server/db/all-records.ts';
import type { Database } from '#server/db/database.ts';
import type { PathOf } from '#server/db/fields.ts';
import type { ChangeKind } from '#server/db/records/change.ts';

/**
 * Change kind announced for each collection; null if no process caches it. Options are edited by
 * `server/settings/option-writes.ts`.
 */
export const editedKinds = {
  users: 'user',
  tokens: 'token',
  channels: 'channel',
  redemptions: null,
  organisations: null,
  organisation_members: null,
  teams: null,
} as const satisfies Partial<Record<keyof Records, ChangeKind | null>>;

export type EditedName = keyof typeof editedKinds;

export interface Editable {
  id: number;
  revision: number;
}

/** New values; undefined fields stay unchanged. */
export interface Change<T> {
  set: Partial<T>;
  unset?: readonly PathOf<T, undefined>[];
}

export interface RecordEdit<T> {
  id: number;
  /** Records that the editor may edit; for the others, the result is null as if they did not exist. */
  where?: Filter<T>;
  /** Revision that the edit is based on; if undefined, the stored one. */
  revision?: number | undefined;
  /** Computes the change from the current record; may throw, and may run again. Null for no change. */
  change(current: T): Change<T> | null;
  /** Presents the current record in a conflict response. */
  present?(current: T): unknown;
}

export interface Edited<T> {
  before: T;
  /** Same object as `before` if nothing was stored. */
  after: T;
}

/** Maximum retries. Usage does not change the revision, so only other editors count. */
const tries = 20;

/**
 * Edits one record and announces it; returns null if there is none.
 * @throws {AppError} `revision_conflict` with the current record if the edit is based on another revision
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

/** Same as `editRecord`, without the collection's type. */
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
