// What a process leaves behind that was taken for dead, worked on without knowing it, and then died: rows that came after
// its books were closed, and leases taken after them (neither was ever used for an answer), and entries it had begun.
import type { Logger } from 'pino';
import type { Filter } from '#server/db/collection.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { Database } from '#server/db/database.ts';
import { processOfLease } from '#server/money/account.ts';
import { finishOpenEntries } from '#server/money/ledger-entries.ts';
import type { AccountKind } from '#server/money/account.ts';
import { lateMarks } from '#server/money/settlement/late-rows.ts';

export interface StraysOptions {
  db: Database;
  log: Logger;
  now(): number;
}

/** An entry this old is not just being applied by a process that has a new identity. */
const entryMs = 60_000;
const rowsAtOnce = 1_000;

/** Removes log rows that count for nobody: their calls were not answered. Cheap: by index. */
export async function removeStrayRows({ db, log, now }: StraysOptions): Promise<number> {
  let count = 0;
  for (const row of await db.collection('processes').find({ state: 'settled', closed_seq: { exists: true } })) {
    const isLate = [{ seq: { gt: row.closed_seq ?? row.settled_seq } }, { seq: { in: row.missing_seqs ?? [] } }];
    const strays: Filter<LogRecord> = { process: row.id, or: isLate };
    for (;;) {
      const found = await db.collection('logs').find(strays, { limit: rowsAtOnce });
      if (found.length === 0) break;
      // Hours that are folded already are folded anew.
      await db.write(lateMarks(found, { now: now(), by: row.id }));
      count += await db.collection('logs').remove({ and: [strays, { id: { in: found.map(({ id }) => id) } }] });
    }
  }
  if (count > 0) log.warn({ rows: count }, 'removed rows of calls that a process taken for dead had not answered');
  return count;
}

/** Finishes ledger entries of processes whose books are closed. */
export async function finishStrayEntries({ db, now }: StraysOptions, olderThanMs = entryMs): Promise<void> {
  const processes = new Set<string>();
  for await (const entry of db.collection('ledger').each({ state: 'open' })) {
    if (entry.created_at * 1000 <= now() - olderThanMs) processes.add(entry.process);
  }
  for (const id of processes) if (await isStray(db, id)) await finishOpenEntries({ db, now }, id);
}

/** Returns leases that belong to no running process to their accounts. Looks at every account. */
export async function returnStrayLeases({ db, log }: StraysOptions): Promise<number> {
  let count = 0;
  for (const kind of ['user', 'token'] as const) {
    const collection = kind === 'user' ? db.collection('users') : db.collection('tokens');
    for await (const record of collection.each({})) {
      for (const key of Object.keys(record.leases)) {
        if (!(await isStray(db, processOfLease(key)))) continue;
        await giveBack(db, kind, record.id, key);
        count += 1;
      }
      // A term that was begun where there was no lease.
      for (const id of Object.keys(record.terms ?? {})) {
        if (await isStray(db, id)) await collection.patch({ id: record.id }, { unset: [`terms.${id}`] });
      }
    }
  }
  if (count > 0) log.warn({ leases: count }, 'returned leases that no process held any more');
  return count;
}

/** A process is registered before it takes anything, so an unknown one is long gone. */
async function isStray(db: Database, processId: string): Promise<boolean> {
  const row = await db.collection('processes').get(processId);
  return row === null || row.state === 'settled';
}

async function giveBack(db: Database, kind: AccountKind, id: number, key: string): Promise<void> {
  const collection = kind === 'user' ? db.collection('users') : db.collection('tokens');
  for (;;) {
    const lease = (await collection.get(id))?.leases[key];
    if (lease === undefined) return;
    const returned = await collection.patch(
      { id, [`leases.${key}`]: lease },
      {
        increment: { [kind === 'user' ? 'quota' : 'remain_quota']: lease },
        unset: [`leases.${key}`, `applied.${processOfLease(key)}`, `terms.${processOfLease(key)}`],
      },
    );
    if (returned !== null) return;
  }
}
