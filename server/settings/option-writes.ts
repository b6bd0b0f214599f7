// Stores options all or nothing, on every engine and also when the process dies in between: the whole batch is first
// written into one record (that single conditional update is the commit), then copied into the option rows, which may be
// done again by anybody who finds it there.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { OptionChangeRecord } from '#server/db/records/option-change.ts';
import type { OptionRecord } from '#server/db/records/option.ts';
import type { Database } from '#server/db/database.ts';
import { changesOf, storedChanges } from '#server/settings/option-changes.ts';

const journalId = 'option_writes';

interface Journal {
  seq: number;
  pending: OptionRecord[];
  /** What the history keeps of it. */
  changes: OptionChangeRecord[];
}

/** Copies a batch that was committed, but perhaps not copied, into the rows. */
export async function finishOptionWrites(db: Database): Promise<void> {
  await readJournal(db);
}

export interface OptionEdit {
  id: string;
  /** As it is stored: secrets encrypted. */
  value: string;
  /** What the edit is based on; absent: whatever is stored. */
  revision?: number | undefined;
}

interface OptionEdits {
  /** The options that `plan` looks at. */
  keys: readonly string[];
  actorId: number;
  /** What is to be stored, by the current rows of `keys`. Runs again when somebody else was faster. */
  plan(current: ReadonlyMap<string, OptionRecord>): OptionEdit[];
  /** Judges what was planned last, unless it is in conflict; throws to refuse. */
  check?(current: ReadonlyMap<string, OptionRecord>): void;
}

interface OptionResult {
  /** The rows of `keys` as they are now. */
  rows: ReadonlyMap<string, OptionRecord>;
  written: OptionRecord[];
  /** Edits based on another revision than the current one; then nothing is stored. */
  conflicts: string[];
}

type WriteContext = Pick<AppContext, 'db' | 'changes' | 'now'>;

/** Writers of one process take turns, so that only other processes can be faster. */
const turns = new WeakMap<Database, Promise<unknown>>();

/** Stores all edits or none, moves their revisions and tells every process. */
export function editOptions(context: WriteContext, edits: OptionEdits): Promise<OptionResult> {
  const { db } = context;
  const edit = () => editInTurn(context, edits);
  const turn = (turns.get(db) ?? Promise.resolve()).then(edit, edit);
  turns.set(db, turn);
  return turn;
}

async function editInTurn(context: WriteContext, { keys, actorId, plan, check }: OptionEdits): Promise<OptionResult> {
  const { db, changes } = context;
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const journal = await readJournal(db);
    // Whoever committed these may have ended before telling anybody.
    if (journal.pending.length > 0) await changes.announce('option', '*');
    const rows = new Map((await db.collection('options').find({ id: { in: keys } })).map((row) => [row.id, row]));
    const revisionOf = (id: string) => rows.get(id)?.revision ?? 0;
    const edits = plan(rows);
    const conflicts = edits.filter(({ id, revision = revisionOf(id) }) => revision !== revisionOf(id)).map(({ id }) => id);
    if (conflicts.length > 0 || edits.length === 0) return { rows, written: [], conflicts };
    check?.(rows);
    const updated = { updated_at: Math.floor(context.now() / 1000), updated_by: actorId };
    const written = edits.map(({ id, value }) => ({ id, value, revision: revisionOf(id) + 1, ...updated }));
    const seq = journal.seq + 1;
    const next: Journal = { seq, pending: written, changes: changesOf(written, rows, seq) };
    const committed = await db
      .collection('facts')
      .patch({ id: journalId, 'value.seq': journal.seq, 'value.state': 'idle' }, { set: { value: { ...next, state: 'pending' } } });
    if (committed === null) continue;
    const [first] = written;
    try {
      await copyIntoRows(db, next);
    } finally {
      // It is committed, whether or not the copy was: who hears of it finishes the copy before reading.
      await changes.announce('option', written.length === 1 && first !== undefined ? first.id : '*');
    }
    return { rows: new Map([...rows, ...written.map((row): [string, OptionRecord] => [row.id, row])]), written, conflicts };
  }
  throw new AppError('database_unavailable', {}, { retryAfter: 1 });
}

async function readJournal(db: Database): Promise<Journal> {
  const facts = db.collection('facts');
  const fact = await facts.get(journalId);
  if (fact === null) {
    await facts.insert({ id: journalId, value: { seq: 0, pending: [], changes: [], state: 'idle' } }).catch((failure: unknown) => {
      if (!(failure instanceof UniqueConflict)) throw failure;
    });
    return { seq: 0, pending: [], changes: [] };
  }
  const journal = journalOf(fact.value);
  if (journal.pending.length > 0) await copyIntoRows(db, journal);
  return journal;
}

async function copyIntoRows(db: Database, journal: Journal): Promise<void> {
  const options = db.collection('options');
  for (const row of journal.pending) {
    const { id, ...fields } = row;
    await options.patch({ id, revision: { lt: row.revision } }, { set: fields }, { insertIfMissing: row });
  }
  if (journal.changes.length > 0) {
    await db.write(journal.changes.map((change) => ({ insert: change, into: 'option_changes', ignoreConflict: true })));
  }
  const idle = { seq: journal.seq, pending: [], changes: [], state: 'idle' };
  await db.collection('facts').patch({ id: journalId, 'value.seq': journal.seq }, { set: { value: idle } });
}

function journalOf(value: unknown): Journal {
  if (typeof value !== 'object' || value === null || !('seq' in value) || typeof value.seq !== 'number') {
    throw new Error('The record of option writes is damaged');
  }
  const pending = 'pending' in value && Array.isArray(value.pending) ? value.pending.filter(isOptionRow) : [];
  return { seq: value.seq, pending, changes: 'changes' in value ? storedChanges(value.changes) : [] };
}

function isOptionRow(row: unknown): row is OptionRecord {
  return (
    typeof row === 'object' &&
    row !== null &&
    'id' in row &&
    typeof row.id === 'string' &&
    'value' in row &&
    typeof row.value === 'string' &&
    'revision' in row &&
    typeof row.revision === 'number' &&
    'updated_at' in row &&
    typeof row.updated_at === 'number' &&
    'updated_by' in row &&
    typeof row.updated_by === 'number'
  );
}
