// Books of processes that died: applies the log rows that they wrote but had not yet charged, once, and gives the rest of
// their leases back. Runs at start and as a job; may run in several processes at once, be killed at any point, and even the
// process itself may turn out to live: its leases are frozen first, so nothing that it does from then on counts.
import type { Logger } from 'pino';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { ProcessRecord } from '#server/db/records/process.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { Database } from '#server/db/database.ts';
import { frozenKey } from '#server/money/account.ts';
import type { AccountKind } from '#server/money/account.ts';
import type { DeathWatch } from '#server/money/recovery/failure-detector.ts';
import { finishOpenEntries } from '#server/money/ledger-entries.ts';
import { thisHost } from '#server/money/recovery/server-process.ts';
import { callsOf } from '#server/money/settlement/settlement-writes.ts';

export interface LeftoversOptions {
  db: Database;
  log: Logger;
  now(): number;
  watch: DeathWatch;
}

/** Which rows of a process count: up to `seq`, without `missing`. */
export interface ClosedBooks {
  seq: number;
  missing: ReadonlySet<number>;
}

const keptMs = 7 * 24 * 3600 * 1000;
const pageRows = 1000;
/** Records settled between two signs that the settler lives. */
const recordsPerBeat = 200;

/** Settles every process that cannot be running any more. Returns how many. */
export async function settleLeftovers(options: LeftoversOptions): Promise<number> {
  const { db, log, now, watch } = options;
  const processes = db.collection('processes');
  let count = 0;
  try {
    const unfinished = await processes.find({ state: { in: ['alive', 'recovering'] } }, { limit: pageRows });
    for (const row of watch.abandoned(unfinished)) {
      if (watch.settling.has(row.id)) continue;
      watch.settling.add(row.id);
      try {
        const claimed = await claim(options, row);
        if (claimed === null) continue;
        await settleProcess(options, claimed);
        count += 1;
      } catch (failure) {
        if (failure instanceof DatabaseUnavailable) throw failure;
        // One that cannot be settled must not keep the others waiting; its heartbeat grows old, and it is tried again.
        log.error({ process: row.id, err: failure }, 'the books of a process that has ended could not be settled yet');
      } finally {
        watch.settling.delete(row.id);
      }
    }
    await processes.remove({ state: 'settled', heartbeat_at: { lt: now() - keptMs } });
  } catch (failure) {
    watch.forget();
    throw failure;
  }
  return count;
}

/** Which rows of a settled process were charged; null while its books are not settled. */
export function closedBooksOf(row: ProcessRecord): ClosedBooks | null {
  if (row.state !== 'settled') return null;
  return { seq: row.closed_seq ?? row.settled_seq, missing: new Set(row.missing_seqs) };
}

/** Only one process settles another; a settler that died itself is followed by the next. */
async function claim({ db, now }: LeftoversOptions, row: ProcessRecord): Promise<ProcessRecord | null> {
  return db
    .collection('processes')
    .patch(
      { id: row.id, state: row.state, heartbeat_at: row.heartbeat_at },
      { set: { state: 'recovering', heartbeat_at: now(), settler: { host: thisHost, pid: process.pid } } },
    );
}

async function settleProcess(options: LeftoversOptions, row: ProcessRecord): Promise<void> {
  const { db, log, now } = options;
  const processes = db.collection('processes');
  let sinceBeat = 0;
  const beat = async () => {
    sinceBeat = (sinceBeat + 1) % recordsPerBeat;
    if (sinceBeat === 0) await processes.patch({ id: row.id, state: 'recovering' }, { set: { heartbeat_at: now() } });
  };
  const frozen: { kind: AccountKind; id: number }[] = [];
  for (const kind of ['user', 'token'] as const) {
    const collection = kind === 'user' ? db.collection('users') : db.collection('tokens');
    const isHeld = { or: [{ [`leases.${row.id}`]: { exists: true } }, { [`leases.${frozenKey(row.id)}`]: { exists: true } }] };
    for await (const record of collection.each(isHeld)) {
      await freeze(options, row.id, kind, record.id);
      frozen.push({ kind, id: record.id });
      await beat();
    }
  }
  const books = await closeBooks(options, row);
  const rows = await countedRows(options, row, books);
  for (const { kind, id } of frozen) {
    await dissolve(options, row.id, { kind, id, rows: (kind === 'user' ? rows.users : rows.tokens).get(id) ?? [] });
    await beat();
  }
  await finishOpenEntries(options, row.id);
  await processes.patch(
    { id: row.id, state: 'recovering' },
    { set: { state: 'settled', heartbeat_at: now() }, max: { settled_seq: books.seq } },
  );
  log.info({ process: row.id, accounts: frozen.length }, 'settled the books of a process that had ended');
}

/** From here on the process can neither spend from the lease nor settle against it: both need its field under its name. */
async function freeze({ db }: LeftoversOptions, processId: string, kind: AccountKind, id: number): Promise<void> {
  const collection = kind === 'user' ? db.collection('users') : db.collection('tokens');
  const field = `leases.${processId}` as const;
  for (;;) {
    const lease = (await collection.get(id))?.leases[processId];
    if (lease === undefined) return;
    const patch = { increment: { [`leases.${frozenKey(processId)}`]: lease }, unset: [field] } as const;
    if ((await collection.patch({ id, [field]: lease }, patch)) !== null) return;
  }
}

/**
 * Decides once, for whoever settles, which rows count. All leases are frozen: rows that are not there now have been applied
 * to nobody and never will be; one that was applied to anybody is there.
 */
async function closeBooks({ db, now }: LeftoversOptions, row: ProcessRecord): Promise<ClosedBooks> {
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
  { db }: LeftoversOptions,
  row: ProcessRecord,
  books: ClosedBooks,
): Promise<{ users: Map<number, LogRecord[]>; tokens: Map<number, LogRecord[]> }> {
  const users = new Map<number, LogRecord[]>();
  const tokens = new Map<number, LogRecord[]>();
  for await (const entry of rowsAfter(db, row)) {
    const { seq = 0 } = entry;
    if (seq > books.seq || books.missing.has(seq)) continue;
    push(users, entry.user_id, entry);
    if (entry.token_id !== 0) push(tokens, entry.token_id, entry);
  }
  return { users, tokens };
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
 * Charges what is beyond `applied` and dissolves the lease, in one conditional update: a second settler finds no lease and
 * leaves the account alone.
 */
async function dissolve(
  { db }: LeftoversOptions,
  processId: string,
  { kind, id, rows }: { kind: AccountKind; id: number; rows: readonly LogRecord[] },
): Promise<void> {
  const collection = kind === 'user' ? db.collection('users') : db.collection('tokens');
  const key = frozenKey(processId);
  const appliedField = `applied.${processId}` as const;
  for (;;) {
    const record: UserRecord | TokenRecord | null = await collection.get(id);
    const lease = record?.leases[key];
    if (record === null || lease === undefined) return;
    const applied = record.applied[processId];
    const due = rows.filter((row) => (row.seq ?? 0) > (applied ?? 0));
    const charge = due.reduce((sum, row) => sum + (kind === 'user' ? row.quota : (row.token_quota ?? 0)), 0);
    const used = due.reduce((sum, row) => sum + row.quota, 0);
    const settled = await collection.patch(
      { id, [`leases.${key}`]: lease, [appliedField]: applied ?? { exists: false } },
      {
        increment:
          kind === 'user'
            ? { quota: lease - charge, used_quota: used, request_count: due.reduce((sum, row) => sum + callsOf(row), 0) }
            : { remain_quota: lease - charge, used_quota: used, charged_quota: charge },
        unset: [`leases.${key}`, appliedField, `terms.${processId}`],
      },
    );
    if (settled !== null) return;
  }
}
