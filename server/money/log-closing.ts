// Deletes old log rows while preserving the books: the amounts of an account's rows are added to its closing entry in
// the ledger, so that credits − spends = balance + leases still holds, and to the sums of their month (`closed_usage`), so
// that statements of the past stay whole. A batch is first recorded with its rows and sums, then its rows are removed, its
// sums added to the entries, and its record cleared. Every step is idempotent, across processes too: an entry and a sum
// store their last batch, and a batch begins only if none is in progress.
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { LogType } from '#shared/logs.ts';
import type { Filter } from '#server/db/collection.ts';
import type { Database, Write } from '#server/db/database.ts';
import type { LedgerRecord } from '#server/db/records/ledger-entry.ts';
import type { ClosingBatch, ClosingSum, ClosingUsage, LogClosingRecord } from '#server/db/records/log-closing.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { ProcessRecord } from '#server/db/records/process.ts';
import { accountIdsIn, accountKinds, chargeIn } from '#server/money/account.ts';
import { periodOf } from '#server/money/closed-periods.ts';
import { lateMarks } from '#server/money/settlement/late-rows.ts';

export interface ClosingContext {
  db: Database;
  now(): number;
  log: Logger;
}

export const closingKind = 'log_closing';

/** Maximum rows of a batch, because they are processed on the event loop. */
const batchRows = 200;
const hourSeconds = 3600;
/** Maximum time for which the audit blocks deletions. */
const holdMs = 60_000;

export interface Closed {
  /** Number of deleted rows. */
  count: number;
  /** False if time ran out, the books are being verified, or some rows are not settled yet. */
  isDone: boolean;
}

/** Removes rows created before `until` (unix seconds), until none are left or `isOverdue` returns true. */
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
    // Read before the rows: a row is certain to be settled only by a number that was stored before the row was read.
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
      {
        set: { last: head.last + 1, batch, summed_from: (await closedBounds(context.db, head)).sums },
        max: { removed_before: Math.min(until, Math.ceil(context.now() / 1000)) },
      },
    );
    // Another process has taken these rows, or deletions were blocked meanwhile.
    if (begun === null) after = undefined;
    else count += await finishBatch(context, begun.last, batch);
  }
  return { count, isDone: false };
}

export interface ClosedBounds {
  /** Rows that began before this moment may be gone. Unix seconds; 0: none is. */
  rows: number;
  /** What rows before this moment took may be known as one sum of all times only. */
  sums: number;
}

/** @param head as it is stored */
export async function closedBounds(db: Database, head: LogClosingRecord | null): Promise<ClosedBounds> {
  if (head === null || head.last === 0) return { rows: 0, sums: 0 };
  // An earlier version stored only the time until which the dashboard's sums are complete.
  const rows = head.removed_before ?? (await db.collection('log_folds').get('head'))?.deleted_until ?? 0;
  return { rows, sums: head.summed === head.last ? (head.summed_from ?? 0) : rows };
}

/** Prevents new batches while the books are verified; one in progress continues. Returns a function that ends this. */
export async function holdClosings(db: Database, now: number): Promise<() => Promise<void>> {
  const heads = db.collection('log_closings');
  const heldUntil = now + holdMs;
  const fresh: LogClosingRecord = { id: 'head', last: 0, held_until: heldUntil };
  await heads.patch({ id: 'head' }, { max: { held_until: heldUntil } }, { insertIfMissing: fresh });
  return async () => {
    await heads.patch({ id: 'head', held_until: heldUntil }, { unset: ['held_until'] });
  };
}

/** Returns the batch in progress and its number; null if there is none. */
export async function openBatch(db: Database): Promise<{ number: number; batch: ClosingBatch } | null> {
  const head = await db.collection('log_closings').get('head');
  return head?.batch === undefined ? null : { number: head.last, batch: head.batch };
}

async function openHead({ db }: ClosingContext): Promise<LogClosingRecord> {
  const fresh: LogClosingRecord = { id: 'head', last: 0 };
  return (await db.collection('log_closings').patch({ id: 'head' }, { max: { last: 0 } }, { insertIfMissing: fresh })) ?? fresh;
}

/** Marks folded hours whose rows will be deleted, so that their sums, which the dashboard shows, are not folded again. */
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

/** Returns the rows that may be deleted: charged ones, and those without a charge. Orphans are left to recovery. */
function closable(rows: readonly LogRecord[], processes: readonly ProcessRecord[]): LogRecord[] {
  const known = new Map(processes.map((process) => [process.id, process]));
  return rows.filter(({ process: id, seq = 0 }) => {
    const process = id === undefined ? undefined : known.get(id);
    // Process records are removed long after their books were closed.
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
      for (const id of accountIdsIn(row, account)) {
        const known = sums.get(`${account}:${id}`) ?? { account, id, charge: 0, used: 0 };
        sums.set(`${account}:${id}`, { ...known, charge: known.charge + chargeIn(row, account), used: known.used + row.quota });
      }
    }
  }
  return {
    ids: rows.map((row) => row.id),
    hours: [...new Set(rows.map((row) => row.created_at - (row.created_at % hourSeconds)))],
    sums: [...sums.values()].filter(({ charge, used }) => charge !== 0 || used !== 0),
    usage: usageOf(rows),
  };
}

/** Rows without a process charged nothing. Those of other gateways are summed apart. */
function usageOf(rows: readonly LogRecord[]): ClosingUsage[] {
  const sums = new Map<string, ClosingUsage>();
  for (const row of rows) {
    if ((row.process === undefined && row.imported === undefined) || row.type !== LogType.consumption || row.user_id === 0) continue;
    const { user_id, token_id, token_name, model_name, channel_id, group, imported } = row;
    const start = periodOf(row.created_at);
    const origin = imported === undefined ? {} : { imported };
    for (const fields of [
      { user_id, token_id, token_name, model_name, channel_id, group, ...origin },
      { user_id: 0, token_id: 0, token_name: '', model_name: '', channel_id: 0, group: '', ...origin },
    ]) {
      const id = `${start}.${createHash('sha256')
        .update(JSON.stringify(Object.values(fields)))
        .digest('base64url')
        .slice(0, 22)}`;
      const known = sums.get(id) ?? { id, start, ...fields, calls: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0 };
      known.calls += 1;
      known.quota += row.quota;
      known.prompt_tokens += row.prompt_tokens;
      known.completion_tokens += row.completion_tokens;
      sums.set(id, known);
    }
  }
  return [...sums.values()];
}

async function finishBatch(context: ClosingContext, number: number, batch: ClosingBatch): Promise<number> {
  const { db, now } = context;
  // Hours that were folded will be folded again.
  const marks = lateMarks(
    batch.hours.map((created_at) => ({ created_at })),
    { now: now(), by: 'closing' },
  );
  if (marks.length > 0) await db.write(marks);
  const count = await db.collection('logs').remove({ id: { in: batch.ids } });
  for (const sum of batch.sums) await addToEntry(context, number, sum);
  await addUsage(db, number, batch.usage ?? []);
  // A process of an earlier version that finishes this batch does not sum its usage, and does not store that it did.
  const summed = batch.usage === undefined ? {} : { set: { summed: number } };
  await db.collection('log_closings').patch({ id: 'head', last: number, batch: { exists: true } }, { ...summed, unset: ['batch'] });
  return count;
}

/** Adds exactly once: a sum with this batch or a later one is left unchanged. */
async function addUsage(db: Database, number: number, usage: readonly ClosingUsage[]): Promise<void> {
  if (usage.length === 0) return;
  const none = { calls: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0, batch: 0 };
  const known = new Set((await db.collection('closed_usage').find({ id: { in: usage.map(({ id }) => id) } })).map(({ id }) => id));
  const fresh = usage.filter(({ id }) => !known.has(id));
  await db.write([
    ...fresh.map((sum): Write => ({ insert: { ...sum, ...none }, into: 'closed_usage', ignoreConflict: true })),
    ...usage.map(({ id, calls, quota, prompt_tokens, completion_tokens }): Write => ({
      of: 'closed_usage',
      where: { id, batch: { lt: number } },
      patch: { increment: { calls, quota, prompt_tokens, completion_tokens }, set: { batch: number } },
      anyOrder: true,
    })),
  ]);
}

export function closingRef({ account, id }: Pick<ClosingSum, 'account' | 'id'>): string {
  return `log-closing:${account}:${id}`;
}

/** Adds exactly once: an entry with this batch or a later one is left unchanged. */
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
