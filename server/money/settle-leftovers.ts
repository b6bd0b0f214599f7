// Books of processes that died: applies the log rows that they wrote but had not yet charged, once, and gives the rest of
// their leases back. Runs at start and as a job; may run in several processes at once and be killed at any point.
import type { Logger } from 'pino';
import type { LogRecord, ProcessRecord, TokenRecord, UserRecord } from '#server/db/collections.ts';
import type { Database } from '#server/db/database.ts';
import type { AccountKind } from '#server/money/account.ts';
import { finishOpenEntries } from '#server/money/entries.ts';
import { deadAfterMs, isDead } from '#server/money/process.ts';
import { callsOf } from '#server/money/settlement.ts';

export interface LeftoversOptions {
  db: Database;
  log: Logger;
  now(): number;
}

/** Settles every process that cannot be running any more. Returns how many. */
export async function settleLeftovers(options: LeftoversOptions): Promise<number> {
  const { db, now } = options;
  const unfinished = await db.collection('processes').find({ state: { in: ['alive', 'recovering'] } }, { limit: 1000 });
  let count = 0;
  for (const row of unfinished) {
    if (await claim(options, row)) {
      await settleProcess(options, row);
      count += 1;
    }
  }
  const dayAgo = now() - 7 * 24 * 3600 * 1000;
  await db.collection('processes').remove({ state: 'settled', heartbeat_at: { lt: dayAgo } });
  return count;
}

/** Only one process settles another; a settler that died itself is followed by the next. */
async function claim({ db, now }: LeftoversOptions, row: ProcessRecord): Promise<boolean> {
  const isAbandoned = row.state === 'recovering' ? now() - row.heartbeat_at > deadAfterMs : isDead(row, now());
  if (!isAbandoned) return false;
  const claimed = await db
    .collection('processes')
    .patch({ id: row.id, state: row.state, heartbeat_at: row.heartbeat_at }, { set: { state: 'recovering', heartbeat_at: now() } });
  return claimed !== null;
}

async function settleProcess(options: LeftoversOptions, row: ProcessRecord): Promise<void> {
  const { db, log, now } = options;
  const processes = db.collection('processes');
  const logs = db.collection('logs');
  const users = new Map<number, LogRecord[]>();
  const tokens = new Map<number, LogRecord[]>();
  let lastSeq = row.settled_seq;
  for (;;) {
    const page = await logs.find({ process: row.id, seq: { gt: lastSeq } }, { sort: [['seq', 1]], limit: 1000 });
    for (const entry of page) {
      push(users, entry.user_id, entry);
      if (entry.token_id !== 0) push(tokens, entry.token_id, entry);
      lastSeq = Math.max(lastSeq, entry.seq ?? 0);
    }
    if (page.length < 1000) break;
  }
  for (const [id, rows] of users) await settleAccount(options, row.id, 'user', id, rows);
  for (const [id, rows] of tokens) await settleAccount(options, row.id, 'token', id, rows);
  // Leases that no row belongs to.
  for (const kind of ['user', 'token'] as const) {
    const collection = kind === 'user' ? db.collection('users') : db.collection('tokens');
    for await (const record of collection.each({ [`leases.${row.id}`]: { exists: true } })) {
      await settleAccount(options, row.id, kind, record.id, []);
    }
    await processes.patch({ id: row.id }, { set: { heartbeat_at: now() } });
  }
  await finishOpenEntries(options, row.id);
  // Rows that a process which only seemed dead writes from now on are above this number; it settles them itself.
  await processes.patch({ id: row.id }, { set: { state: 'settled' }, max: { settled_seq: lastSeq } });
  log.info({ process: row.id, accounts: users.size + tokens.size }, 'settled the books of a process that had ended');
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
async function settleAccount(
  { db }: LeftoversOptions,
  processId: string,
  kind: AccountKind,
  id: number,
  rows: readonly LogRecord[],
): Promise<void> {
  const collection = kind === 'user' ? db.collection('users') : db.collection('tokens');
  const leaseField = `leases.${processId}`;
  const appliedField = `applied.${processId}`;
  for (;;) {
    const record: UserRecord | TokenRecord | null = await collection.get(id);
    const lease = record?.leases[processId];
    if (record === null || lease === undefined) return;
    const applied = record.applied[processId] ?? 0;
    const due = rows.filter((row) => (row.seq ?? 0) > applied);
    const charge = due.reduce((sum, row) => sum + (kind === 'user' ? row.quota : (row.token_quota ?? 0)), 0);
    const used = due.reduce((sum, row) => sum + row.quota, 0);
    const settled = await collection.patch(
      { id, [leaseField]: lease, ...(record.applied[processId] === undefined ? {} : { [appliedField]: applied }) },
      {
        increment:
          kind === 'user'
            ? { quota: lease - charge, used_quota: used, request_count: due.reduce((sum, row) => sum + callsOf(row), 0) }
            : { remain_quota: lease - charge, used_quota: used },
        unset: [leaseField, appliedField],
      },
    );
    if (settled !== null) return;
  }
}
