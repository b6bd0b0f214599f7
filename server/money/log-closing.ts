// Deletes old rows of the log without spoiling the books: what the rows of an account took goes into its closing entry in the ledger,
// so that credits − spends = balance + leases holds as before. Rows go in batches. A batch is announced with its rows and sums in one
// record, then its rows are removed, then the sums are added to the entries, then the announcement is taken back. Every step may
// be repeated, by another process too: an entry says which batch it has last, and a batch begins only where none is under way.
import type { Logger } from 'pino';
import type { Filter } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import type { LedgerRecord } from '#server/db/records/ledger-entry.ts';
import type { ClosingBatch, ClosingSum, LogClosingRecord } from '#server/db/records/log-closing.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { ProcessRecord } from '#server/db/records/process.ts';
import { accountIdIn, accountKinds, chargeIn } from '#server/money/account.ts';
import { lateMarks } from '#server/money/settlement/late-rows.ts';

export interface ClosingContext {
  db: Database;
  now(): number;
  log: Logger;
}

export const closingKind = 'log_closing';

/** Rows of one batch. They are read on the event loop. */
const batchRows = 200;
const hourSeconds = 3600;
/** The audit holds deletions for as long at most. */
const holdMs = 60_000;

export interface Closed {
  /** Rows that are gone. */
  count: number;
  /** False: time was over, the books are being proved, or some rows are not settled yet. */
  isDone: boolean;
}

/** Removes rows of before `until` (unix seconds) until `isOverdue`. */
export async function closeRows(context: ClosingContext, until: number, isOverdue: () => boolean): Promise<Closed> {
  await retainUsage(context, until);
  let count = 0;
  let isDone = true;
  let after: { time: number; id: number } | undefined;
  while (!isOverdue()) {
    const head = await openHead(context);
    if (head.batch !== undefined) {
      await finishBatch(context, head.last, head.batch);
      continue;
    }
    if ((head.held_until ?? 0) > context.now()) return { count, isDone: false };
    // Before the rows are read: what was settled then is settled.
    const processes = await context.db.collection('processes').find({});
    const rows = await nextRows(context.db, until, after);
    const last = rows.at(-1);
    if (last === undefined) return { count, isDone };
    const settled = closable(rows, processes);
    if (settled.length < rows.length) isDone = false;
    after = { time: last.created_at, id: last.id };
    if (settled.length === 0) continue;
    const batch = batchOf(settled);
    const begun = await context.db.collection('log_closings').patch(
      {
        id: 'head',
        last: head.last,
        batch: { exists: false },
        or: [{ held_until: { exists: false } }, { held_until: { lte: context.now() } }],
      },
      { set: { last: head.last + 1, batch }, max: { removed_before: Math.min(until, Math.ceil(context.now() / 1000)) } },
    );
    // Somebody else is at it, and those rows may be gone; or it has been held meanwhile.
    if (begun === null) after = undefined;
    else count += await finishBatch(context, begun.last, batch);
  }
  return { count, isDone: false };
}

/** Lets no batch begin while the books are being proved, and finishes none. `release` ends it. */
export async function holdClosings(db: Database, now: number): Promise<() => Promise<void>> {
  const heads = db.collection('log_closings');
  const heldUntil = now + holdMs;
  const fresh: LogClosingRecord = { id: 'head', last: 0, held_until: heldUntil };
  await heads.patch({ id: 'head' }, { max: { held_until: heldUntil } }, { insertIfMissing: fresh });
  return async () => {
    await heads.patch({ id: 'head', held_until: heldUntil }, { unset: ['held_until'] });
  };
}

/** The batch that is under way, with its number. */
export async function openBatch(db: Database): Promise<{ number: number; batch: ClosingBatch } | null> {
  const head = await db.collection('log_closings').get('head');
  return head?.batch === undefined ? null : { number: head.last, batch: head.batch };
}

async function openHead({ db }: ClosingContext): Promise<LogClosingRecord> {
  const fresh: LogClosingRecord = { id: 'head', last: 0 };
  return (await db.collection('log_closings').patch({ id: 'head' }, { max: { last: 0 } }, { insertIfMissing: fresh })) ?? fresh;
}

/** The dashboard's sums of hours whose rows go are not made anew. */
async function retainUsage({ db }: ClosingContext, until: number): Promise<void> {
  const folds = db.collection('log_folds');
  const head = await folds.get('head');
  const folded = Math.min(Math.ceil(until / hourSeconds) * hourSeconds, head?.usage_until ?? 0);
  if (head !== null && folded > (head.deleted_until ?? 0)) await folds.patch({ id: 'head' }, { max: { deleted_until: folded } });
}

function nextRows(db: Database, until: number, after: { time: number; id: number } | undefined): Promise<LogRecord[]> {
  const filter: Filter<LogRecord>[] = [{ created_at: { lt: until } }];
  if (after !== undefined) {
    const { time, id } = after;
    filter.push({ created_at: { gte: time } }, { or: [{ created_at: { gt: time } }, { id: { gt: id } }] });
  }
  return db.collection('logs').find(
    { and: filter },
    {
      sort: [
        ['created_at', 1],
        ['id', 1],
      ],
      limit: batchRows,
    },
  );
}

/** Rows that are in their accounts, or never will be in any: what is not settled yet has to stay. */
function closable(rows: readonly LogRecord[], processes: readonly ProcessRecord[]): LogRecord[] {
  const known = new Map(processes.map((process) => [process.id, process]));
  return rows.filter(({ process: id, seq = 0 }) => {
    const process = id === undefined ? undefined : known.get(id);
    // Processes are forgotten long after their books were closed.
    if (process === undefined) return true;
    const settledSeq = process.state === 'settled' ? (process.closed_seq ?? process.settled_seq) : process.settled_seq;
    return seq <= settledSeq && process.missing_seqs?.includes(seq) !== true;
  });
}

function batchOf(rows: readonly LogRecord[]): ClosingBatch {
  const sums = new Map<string, ClosingSum>();
  for (const row of rows) {
    if (row.process === undefined) continue;
    for (const account of accountKinds) {
      const id = accountIdIn(row, account);
      if (id === 0) continue;
      const known = sums.get(`${account}:${id}`) ?? { account, id, charge: 0, used: 0 };
      sums.set(`${account}:${id}`, { ...known, charge: known.charge + chargeIn(row, account), used: known.used + row.quota });
    }
  }
  return {
    ids: rows.map((row) => row.id),
    hours: [...new Set(rows.map((row) => row.created_at - (row.created_at % hourSeconds)))],
    sums: [...sums.values()].filter(({ charge, used }) => charge !== 0 || used !== 0),
  };
}

async function finishBatch(context: ClosingContext, number: number, batch: ClosingBatch): Promise<number> {
  const { db, now } = context;
  // Hours that are folded already will be folded anew.
  const marks = lateMarks(
    batch.hours.map((created_at) => ({ created_at })),
    { now: now(), by: 'closing' },
  );
  if (marks.length > 0) await db.write(marks);
  const count = await db.collection('logs').remove({ id: { in: batch.ids } });
  for (const sum of batch.sums) await addToEntry(context, number, sum);
  await db.collection('log_closings').patch({ id: 'head', last: number, batch: { exists: true } }, { unset: ['batch'] });
  return count;
}

export function closingRef({ account, id }: Pick<ClosingSum, 'account' | 'id'>): string {
  return `log-closing:${account}:${id}`;
}

/** Exactly once, however often it is repeated: an entry that has the batch, or a later one, is left alone. */
async function addToEntry({ db, now }: ClosingContext, number: number, sum: ClosingSum): Promise<void> {
  const ledger = db.collection('ledger');
  const ref = closingRef(sum);
  const known = await ledger.first({ ref });
  if (known === null) {
    const insert: LedgerRecord = {
      id: await db.nextId('ledger'),
      ref,
      account: sum.account,
      account_id: sum.id,
      amount: 0,
      used: 0,
      batch: 0,
      kind: closingKind,
      created_at: Math.floor(now() / 1000),
      actor_id: 0,
      process: '',
      state: 'done',
    };
    await db.write([{ insert, into: 'ledger', ignoreConflict: true }]);
  }
  await ledger.patch({ ref, batch: { lt: number } }, { increment: { amount: -sum.charge, used: sum.used }, set: { batch: number } });
}
