// Settles the books of dead processes: charges rows that were written but not charged, once, and returns the rest of
// their leases. Runs at start and every few seconds, possibly in several processes at once, and may be killed at any
// point. The process may even be alive: its leases are frozen first, so that nothing it does later counts.
import type { Logger } from 'pino';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { ProcessRecord } from '#server/db/records/process.ts';
import type { Database } from '#server/db/database.ts';
import {
  accountIdsIn,
  type AccountKind,
  accountKinds,
  type AccountRef,
  changeAccount,
  chargeIn,
  eachWithLeases,
  frozenKey,
  readAccount,
} from '#server/money/account.ts';
import type { FailureDetector } from '#server/money/recovery/failure-detector.ts';
import { finishOpenEntries } from '#server/money/ledger-entries.ts';
import { recoverSessions } from '#server/money/recovery/recover-sessions.ts';
import { thisHost } from '#server/money/recovery/server-process.ts';
import { callsOf } from '#server/money/settlement/settlement-writes.ts';

export interface CrashRecoveryOptions {
  db: Database;
  log: Logger;
  now(): number;
  detector: FailureDetector;
}

/** Rows of a process that count: up to `seq`, without `missing`. */
export interface ClosedBooks {
  seq: number;
  missing: ReadonlySet<number>;
}

const retentionMs = 7 * 24 * 3600 * 1000;
const pageRows = 1000;
/** Accounts between two heartbeats of the settling process. */
const recordsPerBeat = 200;

/** Settles the books of every dead process; returns their number. */
export async function recoverCrashed(options: CrashRecoveryOptions): Promise<number> {
  const { db, log, now, detector } = options;
  const processes = db.collection('processes');
  let count = 0;
  try {
    const unfinished = await processes.find({ state: { in: ['alive', 'recovering'] } }, { limit: pageRows });
    for (const row of detector.failed(unfinished)) {
      if (detector.settling.has(row.id)) continue;
      detector.settling.add(row.id);
      try {
        const claimed = await claim(options, row);
        if (claimed === null) continue;
        await settleProcess(options, claimed);
        count += 1;
      } catch (failure) {
        if (failure instanceof DatabaseUnavailable) throw failure;
        // Retried later, when its heartbeat has stopped again. Must not block the others.
        log.error({ process: row.id, err: failure }, 'the books of a process that has ended could not be settled yet');
      } finally {
        detector.settling.delete(row.id);
      }
    }
    await processes.remove({ state: 'settled', heartbeat_at: { lt: now() - retentionMs } });
  } catch (failure) {
    detector.forget();
    throw failure;
  }
  return count;
}

/** Charged rows of a settled process; null while its books are not settled. */
export function closedBooksOf(row: ProcessRecord): ClosedBooks | null {
  if (row.state !== 'settled') return null;
  return { seq: row.closed_seq ?? row.settled_seq, missing: new Set(row.missing_seqs) };
}

export function isCounted(books: ClosedBooks, seq: number): boolean {
  return seq <= books.seq && !books.missing.has(seq);
}

/** One process at a time settles another; if it dies, the next one takes over. */
async function claim({ db, now }: CrashRecoveryOptions, row: ProcessRecord): Promise<ProcessRecord | null> {
  return db.collection('processes').patch(
    { id: row.id, state: row.state, heartbeat_at: row.heartbeat_at },
    {
      set: {
        state: 'recovering',
        heartbeat_at: now(),
        ended_at: row.ended_at ?? row.heartbeat_at,
        settler: { host: thisHost, pid: process.pid },
      },
    },
  );
}

async function settleProcess(options: CrashRecoveryOptions, row: ProcessRecord): Promise<void> {
  const { db, log, now } = options;
  const processes = db.collection('processes');
  let sinceBeat = 0;
  const beat = async () => {
    sinceBeat = (sinceBeat + 1) % recordsPerBeat;
    if (sinceBeat === 0) await processes.patch({ id: row.id, state: 'recovering' }, { set: { heartbeat_at: now() } });
  };
  const frozen: AccountRef[] = [];
  for (const kind of accountKinds) {
    const isHeld = { or: [{ [`leases.${row.id}`]: { exists: true } }, { [`leases.${frozenKey(row.id)}`]: { exists: true } }] };
    for await (const { id } of eachWithLeases(db, kind, isHeld)) {
      await freeze(options, row.id, { kind, id });
      frozen.push({ kind, id });
      await beat();
    }
  }
  const books = await closeBooks(options, row);
  const rows = await countedRows(options, row, books);
  for (const account of frozen) {
    await dissolve(options, row.id, account, rows[account.kind].get(account.id) ?? []);
    await beat();
  }
  // Every row of a call has a user.
  await recoverSessions(db, [...rows.user.values()].flat());
  await finishOpenEntries(options, row.id);
  await processes.patch(
    { id: row.id, state: 'recovering' },
    { set: { state: 'settled', heartbeat_at: now() }, max: { settled_seq: books.seq } },
  );
  log.info({ process: row.id, accounts: frozen.length }, 'settled the books of a process that had ended');
}

/**
 * Freezes a lease: its process can neither extend it nor settle against it, because both need the lease under its
 * original key.
 */
async function freeze({ db }: CrashRecoveryOptions, processId: string, account: AccountRef): Promise<void> {
  const field = `leases.${processId}` as const;
  for (;;) {
    const lease = (await readAccount(db, account))?.leases[processId];
    if (lease === undefined) return;
    const increment = { [`leases.${frozenKey(processId)}`]: lease };
    if ((await changeAccount(db, account, { where: { [field]: lease }, increment, unset: [field] })) !== null) return;
  }
}

/**
 * Decides which rows count, once for all processes that settle these books. The leases are frozen, so a row that is
 * missing now was not applied to any account and never will be; every applied row exists.
 */
async function closeBooks({ db, now }: CrashRecoveryOptions, row: ProcessRecord): Promise<ClosedBooks> {
  const processes = db.collection('processes');
  let current: ProcessRecord | null = row;
  if (row.closed_seq === undefined) {
    const missing: number[] = [];
    let last = row.settled_seq;
    for await (const { seq = 0 } of rowsAfter(db, row)) {
      for (last += 1; last < seq; last += 1) missing.push(last);
    }
    const closing = { closed_seq: last, missing_seqs: missing, heartbeat_at: now() };
    current = (await processes.patch({ id: row.id, closed_seq: { exists: false } }, { set: closing })) ?? (await processes.get(row.id));
  }
  return { seq: current?.closed_seq ?? row.settled_seq, missing: new Set(current?.missing_seqs) };
}

async function countedRows(
  { db }: CrashRecoveryOptions,
  row: ProcessRecord,
  books: ClosedBooks,
): Promise<Record<AccountKind, Map<number, LogRecord[]>>> {
  const rows: Record<AccountKind, Map<number, LogRecord[]>> = { user: new Map(), token: new Map(), budget: new Map() };
  for await (const entry of rowsAfter(db, row)) {
    const { seq = 0 } = entry;
    if (!isCounted(books, seq)) continue;
    for (const kind of accountKinds) for (const id of accountIdsIn(entry, kind)) push(rows[kind], id, entry);
  }
  return rows;
}

async function* rowsAfter(db: Database, row: ProcessRecord): AsyncGenerator<LogRecord> {
  let last = row.settled_seq;
  for (;;) {
    const page = await db.collection('logs').find({ process: row.id, seq: { gt: last } }, { sort: [['seq', 1]], limit: pageRows });
    yield* page;
    last = page.at(-1)?.seq ?? last;
    if (page.length < pageRows) return;
  }
}

function push(map: Map<number, LogRecord[]>, id: number, row: LogRecord): void {
  const rows = map.get(id);
  if (rows === undefined) map.set(id, [row]);
  else rows.push(row);
}

/**
 * Charges the rows after `applied` and removes the lease, in one conditional update. A second settling process finds no
 * lease and changes nothing.
 */
async function dissolve({ db }: CrashRecoveryOptions, processId: string, account: AccountRef, rows: readonly LogRecord[]): Promise<void> {
  const key = frozenKey(processId);
  const appliedField = `applied.${processId}` as const;
  for (;;) {
    const record = await readAccount(db, account);
    const lease = record?.leases[key];
    if (record === null || lease === undefined) return;
    const applied = record.applied[processId];
    const due = rows.filter((row) => (row.seq ?? 0) > (applied ?? 0));
    const charge = due.reduce((sum, row) => sum + chargeIn(row, account.kind), 0);
    const used = due.reduce((sum, row) => sum + row.quota, 0);
    const calls = due.reduce((sum, row) => sum + callsOf(row), 0);
    const settled = await changeAccount(db, account, {
      where: { [`leases.${key}`]: lease, [appliedField]: applied ?? { exists: false } },
      add: lease - charge,
      spending: { charge, used, calls },
      unset: [`leases.${key}`, appliedField, `fencing_tokens.${processId}`],
    });
    if (settled !== null) return;
  }
}
