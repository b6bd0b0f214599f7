// Stores options all or nothing, on every engine and also when the process dies in between: the whole batch is first
// written into one record (that single conditional update is the commit), then copied into the option rows, which may be
// done again by anybody who finds it there.
import { AppError } from '#shared/errors.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { OptionRecord } from '#server/db/records/option.ts';
import type { Database } from '#server/db/database.ts';

const journalId = 'option_writes';

interface Journal {
  seq: number;
  pending: OptionRecord[];
}

/** Copies a batch that was committed, but perhaps not copied, into the rows. */
export async function finishOptionWrites(db: Database): Promise<void> {
  await readJournal(db);
}

/** Writers of one process take turns, so that only other processes can be faster. */
const turns = new WeakMap<Database, Promise<unknown>>();

/**
 * `plan` gets the current rows of `keys` and returns the rows to store (throws to refuse); it may run again when somebody
 * else was faster. Returns what was stored.
 */
export function writeOptions(db: Database, keys: readonly string[], plan: Plan): Promise<OptionRecord[]> {
  const write = () => writeInTurn(db, keys, plan);
  const turn = (turns.get(db) ?? Promise.resolve()).then(write, write);
  turns.set(db, turn);
  return turn;
}

type Plan = (current: ReadonlyMap<string, OptionRecord>) => OptionRecord[];

async function writeInTurn(db: Database, keys: readonly string[], plan: Plan): Promise<OptionRecord[]> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const journal = await readJournal(db);
    const rows = await db.collection('options').find({ id: { in: keys } });
    const planned = plan(new Map(rows.map((row) => [row.id, row])));
    if (planned.length === 0) return [];
    const next: Journal = { seq: journal.seq + 1, pending: planned };
    const committed = await db
      .collection('facts')
      .patch({ id: journalId, 'value.seq': journal.seq, 'value.state': 'idle' }, { set: { value: { ...next, state: 'pending' } } });
    if (committed !== null) {
      await copyIntoRows(db, next);
      return planned;
    }
  }
  throw new AppError('database_unavailable', {}, { retryAfter: 1 });
}

async function readJournal(db: Database): Promise<Journal> {
  const facts = db.collection('facts');
  const fact = await facts.get(journalId);
  if (fact === null) {
    await facts.insert({ id: journalId, value: { seq: 0, pending: [], state: 'idle' } }).catch((failure: unknown) => {
      if (!(failure instanceof UniqueConflict)) throw failure;
    });
    return { seq: 0, pending: [] };
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
  await db
    .collection('facts')
    .patch({ id: journalId, 'value.seq': journal.seq }, { set: { value: { seq: journal.seq, pending: [], state: 'idle' } } });
}

function journalOf(value: unknown): Journal {
  if (typeof value !== 'object' || value === null || !('seq' in value) || typeof value.seq !== 'number') {
    throw new Error('The record of option writes is damaged');
  }
  const pending = 'pending' in value && Array.isArray(value.pending) ? value.pending.filter(isOptionRow) : [];
  return { seq: value.seq, pending };
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
