// Verifies the books: for every user, limited token and period of a budget, credits − spends = balance + leases, at any moment.
import { setTimeout as sleep } from 'node:timers/promises';
import type { MoneyFields } from '#server/db/records/money-fields.ts';
import type { Database } from '#server/db/database.ts';
import {
  accountIdsIn,
  type AccountKind,
  accountKinds,
  type AccountRecord,
  accountRules,
  balanceOf,
  eachAccount,
  openedOf,
  processOfLease,
  readAccount,
  rowsOf,
  spendsOf,
} from '#server/money/account.ts';
import { closingRef, holdClosings, openBatch } from '#server/money/log-closing.ts';

export interface AuditFinding {
  account: AccountKind;
  id: number;
  /** Quota. `credits − spends` is the expected balance, `balance` the actual one. */
  credits: number;
  spends: number;
  balance: number;
  /** `balance` − (`credits` − `spends`). */
  difference: number;
  /** Difference of `used_quota` from the sum of rows. */
  usedDifference: number;
  /** Quota leased to processes that have ended: part of the balance, but not spendable. */
  orphaned: number;
}

export interface AuditReport {
  users: number;
  tokens: number;
  budget_periods: number;
  findings: AuditFinding[];
}

/** Number of counts before a difference is reported, because calls in flight move money during a count. */
const recounts = 8;
const recountMs = 150;

export async function audit(db: Database, now: () => number = Date.now): Promise<AuditReport> {
  // Rows being deleted could be counted twice or not at all.
  const release = await holdClosings(db, now());
  try {
    return await verify(db);
  } finally {
    await release();
  }
}

async function verify(db: Database): Promise<AuditReport> {
  const report: AuditReport = { users: 0, tokens: 0, budget_periods: 0, findings: [] };
  for (const kind of accountKinds) {
    const suspects = await suspectsOf(db, kind, (count) => {
      report[accountRules[kind].collection] = count;
    });
    for (const id of suspects) {
      const finding = await recount(db, kind, id);
      if (finding !== null) report.findings.push(finding);
    }
  }
  return report;
}

/** Accounts that do not balance by the totals. */
async function suspectsOf(db: Database, kind: AccountKind, counted: (count: number) => void): Promise<number[]> {
  const [credits, spends] = await Promise.all([
    db.collection('ledger').group({ filter: { account: kind, state: 'done' }, by: ['account_id'], sum: { sum: 'amount', used: 'used' } }),
    spendsOf(db, kind),
  ]);
  const creditOf = new Map(credits.map((row) => [Number(row['account_id']), Number(row['sum'])]));
  // Used amounts of deleted rows, and of refunds.
  const closedOf = new Map(credits.map((row) => [Number(row['account_id']), Number(row['used'])]));
  const suspects: number[] = [];
  const running = await runningProcesses(db);
  let count = 0;
  for await (const record of eachAccount(db, kind)) {
    count += 1;
    const { charge, used } = spends.get(record.id) ?? { charge: 0, used: 0 };
    const expected = openedOf(record) + (creditOf.get(record.id) ?? 0) - charge;
    const isOff = expected !== balanceOf(record) || used + (closedOf.get(record.id) ?? 0) !== record.used_quota;
    if (isOff || orphanedOf(record, running) !== 0) suspects.push(record.id);
  }
  counted(count);
  return suspects;
}

async function recount(db: Database, kind: AccountKind, id: number): Promise<AuditFinding | null> {
  let finding: AuditFinding | null = null;
  for (let attempt = 0; attempt < recounts; attempt += 1) {
    if (attempt > 0) await sleep(recountMs);
    finding = await countOne(db, kind, id);
    if (finding === null) return null;
  }
  return finding;
}

async function countOne(db: Database, kind: AccountKind, id: number): Promise<AuditFinding | null> {
  const running = await lastRows(db);
  const record = await readAccount(db, { kind, id });
  if (record === null) return null;
  const entries = await db.collection('ledger').find({ account: kind, account_id: id, state: { in: ['open', 'done'] } });
  const applied = entries.filter((entry) => entry.state === 'done' || record.marks[`e${entry.id}`] !== undefined);
  const credits = applied.reduce((total, entry) => total + entry.amount, openedOf(record));
  const spent = await appliedSpends(db, kind, record, running);
  const closing = await openClosing(db, kind, record.id);
  const spends = spent.spends + closing.spends;
  const used = spent.used + closing.used + applied.reduce((total, entry) => total + (entry.used ?? 0), 0);
  const balance = balanceOf(record);
  const difference = balance - (credits - spends);
  const usedDifference = record.used_quota - used;
  const orphaned = orphanedOf(record, new Set(running.keys()));
  if (difference === 0 && usedDifference === 0 && orphaned === 0) return null;
  return { account: kind, id, credits, spends, balance, difference, usedDifference, orphaned };
}

/** Running processes with the number of their newest row. */
async function lastRows(db: Database): Promise<Map<string, number>> {
  const last = new Map<string, number>();
  for (const id of await runningProcesses(db)) {
    const newest = await db.collection('logs').first({ process: id }, { sort: [['seq', -1]] });
    last.set(id, newest?.seq ?? 0);
  }
  return last;
}

/**
 * Amount charged to the record. A running process writes rows before charging them, so its rows count up to the number
 * in the record; without one, up to the last row before the record was read. These rows are final, so calls that end
 * during the count do not matter.
 */
async function appliedSpends(
  db: Database,
  kind: AccountKind,
  record: AccountRecord,
  running: ReadonlyMap<string, number>,
): Promise<{ spends: number; used: number }> {
  const logs = db.collection('logs');
  const ofAccount = await rowsOf(db, kind, record);
  const sum = { used: 'quota', spends: accountRules[kind].chargeInRow } as const;
  const byProcess = await logs.group({ filter: { ...ofAccount, process: { exists: true } }, by: ['process'], sum });
  const rows = byProcess.filter((row) => !running.has(String(row['process'])));
  for (const [id, newest] of running) {
    rows.push(...(await logs.group({ filter: { ...ofAccount, process: id, seq: { lte: record.applied[id] ?? newest } }, by: [], sum })));
  }
  const total = (name: string) => rows.reduce((value, row) => value + Number(row[name]), 0);
  return { spends: total('spends'), used: total('used') };
}

/**
 * Correction for an unfinished batch of deletions. Its rows may be deleted or not, so they count by the batch's sums
 * instead, or not at all once the account's closing entry includes the batch.
 */
async function openClosing(db: Database, kind: AccountKind, id: number): Promise<{ spends: number; used: number }> {
  const open = await openBatch(db);
  const sum = open?.batch.sums.find((one) => one.account === kind && one.id === id);
  if (open === null || sum === undefined) return { spends: 0, used: 0 };
  const { chargeInRow } = accountRules[kind];
  const rows = (await db.collection('logs').find({ id: { in: open.batch.ids } })).filter(
    (row) => row.process !== undefined && accountIdsIn(row, kind).includes(id),
  );
  const entry = await db.collection('ledger').first({ ref: closingRef(sum) });
  const isEntered = (entry?.batch ?? 0) >= open.number;
  return {
    spends: (isEntered ? 0 : sum.charge) - rows.reduce((total, row) => total + (row[chargeInRow] ?? 0), 0),
    used: (isEntered ? 0 : sum.used) - rows.reduce((total, row) => total + row.quota, 0),
  };
}

async function runningProcesses(db: Database): Promise<Set<string>> {
  const rows = await db.collection('processes').find({ state: { in: ['alive', 'recovering'] } });
  return new Set(rows.map((row) => row.id));
}

function orphanedOf(record: MoneyFields, running: ReadonlySet<string>): number {
  let sum = 0;
  for (const [key, lease] of Object.entries(record.leases)) if (!running.has(processOfLease(key))) sum += lease;
  return sum;
}
