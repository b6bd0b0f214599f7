// Orphans of a process that was declared dead, continued without noticing, and then died: rows and leases created after
// its books were closed (their calls were never answered), and ledger entries that it began.
import type { Logger } from 'pino';
import type { Filter } from '#server/db/collection.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { Database } from '#server/db/database.ts';
import { accountKinds, type AccountRef, changeAccount, eachAccount, processOfLease, readAccount } from '#server/money/account.ts';
import { finishOpenEntries } from '#server/money/ledger-entries.ts';
import { lateMarks } from '#server/money/settlement/late-rows.ts';

export interface OrphansOptions {
  db: Database;
  log: Logger;
  now(): number;
}

/** Minimum age of entries: a process with a new identity may still be applying younger entries of its old one. */
const entryMs = 60_000;
const rowsAtOnce = 1_000;

/** Removes rows that were not charged, whose calls were not answered. Uses an index. */
export async function removeOrphanRows({ db, log, now }: OrphansOptions): Promise<number> {
  let count = 0;
  for (const row of await db.collection('processes').find({ state: 'settled', closed_seq: { exists: true } })) {
    const isLate = [{ seq: { gt: row.closed_seq ?? row.settled_seq } }, { seq: { in: row.missing_seqs ?? [] } }];
    const orphans: Filter<LogRecord> = { process: row.id, or: isLate };
    for (;;) {
      const found = await db.collection('logs').find(orphans, { limit: rowsAtOnce });
      if (found.length === 0) break;
      // Hours that were folded will be folded again.
      await db.write(lateMarks(found, { now: now(), by: row.id }));
      count += await db.collection('logs').remove({ and: [orphans, { id: { in: found.map(({ id }) => id) } }] });
    }
  }
  if (count > 0) log.warn({ rows: count }, 'removed rows of calls that a process taken for dead had not answered');
  return count;
}

/** Completes or voids open entries of processes whose books are closed. */
export async function finishOrphanEntries({ db, now }: OrphansOptions, olderThanMs = entryMs): Promise<void> {
  const processes = new Set<string>();
  for await (const entry of db.collection('ledger').each({ state: 'open' })) {
    if (entry.created_at * 1000 <= now() - olderThanMs) processes.add(entry.process);
  }
  for (const id of processes) if (await isOrphan(db, id)) await finishOpenEntries({ db, now }, id);
}

/** Returns leases of ended processes to their accounts. Reads every account. */
export async function returnOrphanLeases({ db, log }: OrphansOptions): Promise<number> {
  let count = 0;
  for (const kind of accountKinds) {
    for await (const record of eachAccount(db, kind)) {
      for (const key of Object.keys(record.leases)) {
        if (!(await isOrphan(db, processOfLease(key)))) continue;
        await giveBack(db, { kind, id: record.id }, key);
        count += 1;
      }
      // A fencing token may exist without a lease.
      for (const id of Object.keys(record.fencing_tokens ?? {})) {
        if (await isOrphan(db, id)) await changeAccount(db, { kind, id: record.id }, { unset: [`fencing_tokens.${id}`] });
      }
    }
  }
  if (count > 0) log.warn({ leases: count }, 'returned leases that no process held any more');
  return count;
}

/** A process is registered before it takes a lease, so an unregistered one ended long ago. */
async function isOrphan(db: Database, processId: string): Promise<boolean> {
  const row = await db.collection('processes').get(processId);
  return row === null || row.state === 'settled';
}

async function giveBack(db: Database, account: AccountRef, key: string): Promise<void> {
  for (;;) {
    const lease = (await readAccount(db, account))?.leases[key];
    if (lease === undefined) return;
    const returned = await changeAccount(db, account, {
      where: { [`leases.${key}`]: lease },
      add: lease,
      unset: [`leases.${key}`, `applied.${processOfLease(key)}`, `fencing_tokens.${processOfLease(key)}`],
    });
    if (returned !== null) return;
  }
}
