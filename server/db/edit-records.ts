// One change of many records, as `editRecord` makes it of one: each is judged on what is stored now, by its revision, and announced. A hundred
// of them are read, written and announced together, and the event loop runs between the hundreds.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '#shared/errors.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { Collection, Filter, Patch } from '#server/db/collection.ts';
import type { ChangeFeed } from '#server/db/changes.ts';
import type { Records } from '#server/db/all-records.ts';
import type { Database, UnorderedWrite } from '#server/db/database.ts';
import { editAny, editedKinds, patchOf } from '#server/db/edit-record.ts';
import type { Change, Editable, Edited, EditedName, RecordEdit } from '#server/db/edit-record.ts';

/** Records that are read and written in one step. */
export const recordsAtOnce = 100;

/** `where`: on fields that change with the revision only. */
export interface RecordsEdit<T> extends Pick<RecordEdit<T>, 'where' | 'change'> {
  ids: readonly number[];
  /** Called for each id, in no particular order: what came of it; null: there is no such record; what `change` refused it with. */
  onEach?(id: number, result: Edited<T> | AppError | null): void;
}

/**
 * Edits the records of these ids. `Edited.after` holds what was stored, but not what was counted onto the record meanwhile.
 * @throws {DatabaseUnavailable} when the database fails midway: `onEach` was called for those that are known to be stored
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
  /** Fields. */
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
    // Somebody else was faster with it, or one of them cannot be stored and kept the others from it.
    else await refusable(id, onEach, () => editAny(context, name, { id, where, change }));
  }
}

/** Reports what comes of the work, unless that is undefined, or its refusal. */
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

/** By id and revision alone: of a condition more, MongoDB would weigh its indexes against each other, record by record. */
function plannedOf(name: EditedName, before: Editable, wanted: Change<Editable>): Planned {
  const after: Editable = { ...before, ...wanted.set, revision: before.revision + 1 };
  for (const field of wanted.unset ?? []) Reflect.deleteProperty(after, field);
  const own: Filter<Editable> = { id: before.id, revision: before.revision };
  const changed = [...Object.keys(wanted.set), ...(wanted.unset ?? [])];
  return { before, after, changed, write: changeIn(name, own, patchOf(wanted)) };
}

/** Whether each was stored. All that may be stored is announced, also when the database fails midway. */
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

/** A record that is as it was to be is taken for stored, whoever stored it: whoever edits it again changes nothing. */
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
