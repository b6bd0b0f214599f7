// Stores options all or nothing, on every engine and across crashes: the batch is first written to one record (that
// conditional update is the commit), then copied to the option rows and announced, which any process may repeat.
//
// `option` is the term on the wire and in storage: a key with a text. Settings are the typed values of all options
// (`settings.ts`); a setting's kind, default and rules are in `shared/settings.ts`.
import { AppError } from '#shared/errors.ts';
import type { ChangeFeed } from '#server/db/changes.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { OptionChangeRecord } from '#server/db/records/option-change.ts';
import type { OptionRecord } from '#server/db/records/option.ts';
import type { Database } from '#server/db/database.ts';
import { checkEntriesAreFree, managedEntriesKey } from '#server/settings/managed-entries.ts';
import { changesOf, type SaveReason, storedChanges } from '#server/settings/option-changes.ts';
import { actorOfSave, type JournalActor, journalActor, settingEntries } from '#server/settings/setting-entries.ts';

const journalId = 'option_writes';

interface Journal {
  seq: number;
  pending: OptionRecord[];
  /** History entries of the save. */
  changes: OptionChangeRecord[];
  /** Who saves, for the entries in the audit log; null in journals of earlier versions. */
  actor: JournalActor | null;
}

interface JournalContext {
  db: Database;
  changes: ChangeFeed;
}

/** Copies a batch that was committed but perhaps not copied to the rows, and notifies every process. */
export async function finishOptionWrites(context: JournalContext): Promise<void> {
  await readJournal(context);
}

/** Same as `finishOptionWrites`, for a caller that reads the rows itself: only other processes are notified. */
export async function copyOptionWrites(context: JournalContext): Promise<void> {
  const journal = await findJournal(context.db);
  if (journal.pending.length > 0) await finish(context, journal);
}

export interface OptionEdit {
  id: string;
  /** Value as stored: secrets are encrypted. */
  value: string;
  /** Revision that the edit is based on; if undefined, the stored one. */
  revision?: number | undefined;
}

interface OptionEdits {
  /** Options that `plan` reads. */
  keys: readonly string[];
  actorId: number;
  /** For the history of the options. */
  reason?: SaveReason | undefined;
  /** Computes the edits from the current rows of `keys`. Runs again after a concurrent edit. */
  plan(current: ReadonlyMap<string, OptionRecord>): OptionEdit[];
  /** Validates the last plan, unless it conflicts; throws to reject it. */
  check?(current: ReadonlyMap<string, OptionRecord>): void;
}

interface OptionResult {
  /** Current rows of `keys`. */
  rows: ReadonlyMap<string, OptionRecord>;
  written: OptionRecord[];
  /** Values before and after. */
  changes: OptionChangeRecord[];
  /** Keys whose edits are based on an outdated revision; then nothing is stored. */
  conflicts: string[];
}

interface WriteContext extends JournalContext {
  now(): number;
}

/** Serializes writers of this process, so that conflicts only come from others. */
const turns = new WeakMap<Database, Promise<unknown>>();

/** Stores all edits or none, increases their revisions and notifies every process. */
export function editOptions(context: WriteContext, edits: OptionEdits): Promise<OptionResult> {
  const { db } = context;
  const edit = () => editInTurn(context, edits);
  const turn = (turns.get(db) ?? Promise.resolve()).then(edit, edit);
  turns.set(db, turn);
  return turn;
}

async function editInTurn(context: WriteContext, { keys, actorId, reason, plan, check }: OptionEdits): Promise<OptionResult> {
  const { db, changes } = context;
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const journal = await readJournal(context);
    const rows = new Map((await db.collection('options').find({ id: { in: [...keys, managedEntriesKey] } })).map((row) => [row.id, row]));
    const revisionOf = (id: string) => rows.get(id)?.revision ?? 0;
    const edits = plan(rows);
    const conflicts = edits.filter(({ id, revision = revisionOf(id) }) => revision !== revisionOf(id)).map(({ id }) => id);
    if (conflicts.length > 0 || edits.length === 0) return { rows, written: [], changes: [], conflicts };
    check?.(rows);
    checkEntriesAreFree(edits, rows);
    const updated = { updated_at: Math.floor(context.now() / 1000), updated_by: actorId };
    const written = edits.map(({ id, value }) => ({ id, value, revision: revisionOf(id) + 1, ...updated }));
    const seq = journal.seq + 1;
    const next: Journal = { seq, pending: written, changes: changesOf(written, { rows, seq, reason }), actor: actorOfSave(context.now()) };
    const committed = await db
      .collection('facts')
      .patch({ id: journalId, 'value.seq': journal.seq, 'value.state': 'idle' }, { set: { value: { ...next, state: 'pending' } } });
    if (committed === null) continue;
    try {
      await finish(context, next);
    } finally {
      await changes.announceHere('option', keyOf(next));
    }
    return {
      rows: new Map([...rows, ...written.map((row): [string, OptionRecord] => [row.id, row])]),
      written,
      changes: next.changes,
      conflicts,
    };
  }
  throw new AppError('database_unavailable', {}, { retryAfter: 1 });
}

async function readJournal(context: JournalContext): Promise<Journal> {
  const journal = await findJournal(context.db);
  if (journal.pending.length === 0) return journal;
  try {
    await finish(context, journal);
  } finally {
    await context.changes.announceHere('option', keyOf(journal));
  }
  return journal;
}

async function findJournal(db: Database): Promise<Journal> {
  const facts = db.collection('facts');
  const fact = await facts.get(journalId);
  if (fact !== null) return journalOf(fact.value);
  await facts
    .insert({ id: journalId, value: { seq: 0, pending: [], changes: [], actor: null, state: 'idle' } })
    .catch((failure: unknown) => {
      if (!(failure instanceof UniqueConflict)) throw failure;
    });
  return { seq: 0, pending: [], changes: [], actor: null };
}

/** Pending until other processes have been notified: after a crash, the next reader continues. */
async function finish({ db, changes }: JournalContext, journal: Journal): Promise<void> {
  try {
    await copyIntoRows(db, journal);
  } finally {
    // Committed, whether or not it was copied: notified processes copy it before reading.
    await changes.announceToOthers('option', keyOf(journal));
  }
  const idle = { seq: journal.seq, pending: [], changes: [], actor: null, state: 'idle' };
  await db.collection('facts').patch({ id: journalId, 'value.seq': journal.seq }, { set: { value: idle } });
}

async function copyIntoRows(db: Database, { pending, changes, actor }: Journal): Promise<void> {
  const options = db.collection('options');
  for (const row of pending) {
    const { id, ...fields } = row;
    await options.patch({ id, revision: { lt: row.revision } }, { set: fields }, { insertIfMissing: row });
  }
  if (changes.length > 0) {
    await db.write(changes.map((change) => ({ insert: change, into: 'option_changes', ignoreConflict: true })));
    const entries = settingEntries(changes, actor);
    if (entries.length > 0) await db.write(entries.map((entry) => ({ insert: entry, into: 'audit_entries', ignoreConflict: true })));
  }
}

/** Key of the announcement: the option, or `*` for several. */
function keyOf({ pending }: Journal): string {
  const [first] = pending;
  return pending.length === 1 && first !== undefined ? first.id : '*';
}

function journalOf(value: unknown): Journal {
  if (typeof value !== 'object' || value === null || !('seq' in value) || typeof value.seq !== 'number') {
    throw new Error('The record of option writes is damaged');
  }
  const pending = 'pending' in value && Array.isArray(value.pending) ? value.pending.filter(isOptionRow) : [];
  return {
    seq: value.seq,
    pending,
    changes: 'changes' in value ? storedChanges(value.changes) : [],
    actor: 'actor' in value ? journalActor(value.actor) : null,
  };
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
