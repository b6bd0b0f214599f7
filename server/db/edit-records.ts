// Edits many records like `editRecord`: each is checked by its revision and announced. Steps of a hundred are read,
// written and announced together; the event loop runs between steps.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '#shared/errors.ts';
import { type Collection, DatabaseUnavailable, type Filter, type Patch } from '#server/db/collection.ts';
import type { ChangeFeed } from '#server/db/changes.ts';
import type { Records } from '#server/db/all-records.ts';
import type { Database, UnorderedWrite } from '#server/db/database.ts';
import {
  type Change,
  type Editable,
  editAny,
  type Edited,
  editedKinds,
  type EditedName,
  patchOf,
  type RecordEdit,
} from '#server/db/edit-record.ts';

/** Number of records per step. */
export const recordsAtOnce = 100;

/** `where`: only on fields that change with the revision. */
export interface RecordsEdit<T> extends Pick<RecordEdit<T>, 'where' | 'change'> {
  ids: readonly number[];
  /** Called for each id, in no particular order, with the result, null for a missing record, or the error of `change`. */
  onEach?(id: number, result: Edited<T> | AppError | null): void;
}

/**
 * Edits the records of these ids. `Edited.after` is the stored record without concurrent usage.
 * @throws {DatabaseUnavailable} if the database fails midway; `onEach` was called for those known to be stored
 */
export function editRecords<Name extends EditedName>(
  context: { db: Database; changes: ChangeFeed },
  name: Name,
  edit: RecordsEdit<Records[Name]>,
): Promise<void>;
export async function editRecords(
  context: { db: Database; changes: ChangeFeed },
  name: EditedName,
  edit: RecordsEdit<Editable>,
): Promise<void> {
  const ids = [...new Set(edit.ids)];
  for (let start = 0; start < ids.length; start += recordsAtOnce) {
    await editStep(context, name, { ...edit, ids: ids.slice(start, start + recordsAtOnce) });
    await nextTurn();
  }
}

interface Planned {
  before: Editable;
  after: Editable;
  /** Names of changed fields. */
  changed: readonly string[];
  write: UnorderedWrite;
}

type Report = NonNullable<RecordsEdit<Editable>['onEach']>;

async function editStep(
  context: { db: Database; changes: ChangeFeed },
  name: EditedName,
  { ids, where = {}, change, onEach = () => {} }: RecordsEdit<Editable>,
): Promise<void> {
  const records: Collection<Editable> = context.db.collection(name);
  const found = new Map((await records.find({ and: [{ id: { in: ids } }, where] })).map((record) => [record.id, record]));
  const planned: Planned[] = [];
  for (const id of ids) {
    const before = found.get(id);
    if (before === undefined) onEach(id, null);
    else {
      await refusable(id, onEach, async () => {
        const wanted = change(before);
        if (wanted === null) return { before, after: before };
        planned.push(plannedOf(name, before, wanted));
        return undefined;
      });
    }
  }
  const stored = await storePlanned(context, name, planned);
  for (const [index, { before, after }] of planned.entries()) {
    const { id } = before;
    if (stored[index] === true) onEach(id, { before, after });
    // A concurrent edit changed it, or one record of the step could not be stored.
    else await refusable(id, onEach, () => editAny(context, name, { id, where, change }));
  }
}

/** Reports the result of the work, unless undefined, or its error. */
async function refusable(id: number, onEach: Report, work: () => Promise<Edited<Editable> | null | undefined>): Promise<void> {
  let result: Edited<Editable> | AppError | null | undefined;
  try {
    result = await work();
  } catch (refusal) {
    if (!(refusal instanceof AppError)) throw refusal;
    result = refusal;
  }
  if (result !== undefined) onEach(id, result);
}

/** Filters by id and revision alone: with more conditions, MongoDB would plan each record's query. */
function plannedOf(name: EditedName, before: Editable, wanted: Change<Editable>): Planned {
  const after: Editable = { ...before, ...wanted.set, revision: before.revision + 1 };
  for (const field of wanted.unset ?? []) Reflect.deleteProperty(after, field);
  const unchanged: Filter<Editable> = { id: before.id, revision: before.revision };
  const changed = [...Object.keys(wanted.set), ...(wanted.unset ?? [])];
  return { before, after, changed, write: changeIn(name, unchanged, patchOf(wanted)) };
}

/** Returns whether each was stored. Everything that may be stored is announced, also if the database fails midway. */
async function storePlanned(
  { db, changes }: { db: Database; changes: ChangeFeed },
  name: EditedName,
  planned: readonly Planned[],
): Promise<readonly boolean[]> {
  if (planned.length === 0) return [];
  const kind = editedKinds[name];
  let stored: readonly boolean[] = planned.map(() => true);
  try {
    const count = await db.writeUnordered(planned.map(({ write }) => write));
    if (count < planned.length) stored = await areStored(db.collection(name), planned);
  } catch (failure) {
    if (failure instanceof DatabaseUnavailable) throw failure;
    stored = planned.map(() => false);
  } finally {
    const ids = planned.map(({ before }) => before.id);
    if (kind !== null) await changes.announceMany(kind, ids);
  }
  return stored;
}

/** A record with the intended values counts as stored, also by another process: editing it again changes nothing. */
async function areStored(records: Collection<Editable>, planned: readonly Planned[]): Promise<boolean[]> {
  const ids = planned.map(({ before }) => before.id);
  const now = new Map((await records.find({ id: { in: ids } })).map((record) => [record.id, record]));
  return planned.map(({ after, changed }) => {
    const record = now.get(after.id);
    if (record === undefined || record.revision !== after.revision) return false;
    return changed.every((field) => isDeepStrictEqual(Reflect.get(record, field), Reflect.get(after, field)));
  });
}

function changeIn(name: EditedName, where: Filter<Editable>, patch: Patch<Editable>): UnorderedWrite;
function changeIn(of: string, where: object, patch: object): object {
  return { of, where, patch };
}
