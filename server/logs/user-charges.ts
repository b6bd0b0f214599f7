// Exact amounts that calls charged to users' balances in a time span, including unlisted calls. Refunds are not
// subtracted: they are separate changes. Calls that were imported from another gateway are summed apart: the balance at the move holds their cost already.
import { LogType } from '#shared/logs.ts';
import type { Filter, GroupRow } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import type { ClosedUsageRecord } from '#server/db/records/closed-usage.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { LogSumRecord } from '#server/db/records/log-sum.ts';
import { allDays, allHours } from './rollup-shape.ts';
import { cut, type Parts, type Piece, readFolds } from './sum-calls.ts';

export interface ModelCharges {
  calls: number;
  /** Quota. */
  amount: number;
}

/** Charges of one user. */
export interface UserCharges {
  /** By model. */
  charged: Map<string, ModelCharges>;
  /** Calls at another gateway, and their cost there, which was not charged here. */
  imported: ModelCharges;
}

/** Quota of calls: charged here, and cost of imported calls. */
export interface Taken {
  charged: number;
  imported: number;
}

/** Retries if sums are rewritten while being read; then the rows are used. */
const tries = 3;

/** Periods of deleted rows, by their start: half-open, unix seconds. */
interface Periods {
  from: number;
  to?: number;
}

/** Every sum of imported calls is a part of a sum of all calls as well, and has an index of its own. */
const isImported = { imported: 1 } as const;

/**
 * Quota of the calls of each user whose rows are there.
 * @param span half-open, unix seconds
 * @param rowsFrom rows before this moment may be deleted: they are few, and their hours may wait to be folded again
 */
export function chargesByUser(db: Database, userIds: readonly number[], span: Piece, rowsFrom: number): Promise<Map<number, Taken>> {
  return fromSums(db, span, rowsFrom, ({ rows, hours, days }) => sumByUser(db, userIds, { rows, sums: [...hours, ...days] }));
}

/** Quota of the calls of each user whose rows are deleted. */
export async function closedChargesByUser(db: Database, userIds: readonly number[], periods: Periods): Promise<Map<number, Taken>> {
  const taken = new Map<number, Taken>();
  const filter = { user_id: { in: userIds }, ...startingIn(periods) };
  const usage = db.collection('closed_usage');
  noteUsers(taken, await usage.group({ filter, by: ['user_id'], sum: amountOfQuota }));
  moveUsers(taken, await usage.group({ filter: { ...filter, ...isImported }, by: ['user_id'], sum: amountOfQuota }));
  return taken;
}

/** Quota of all users' calls whose rows are there. Parameters as of `chargesByUser`. */
export function chargesOfAll(db: Database, span: Piece, rowsFrom: number): Promise<Taken> {
  return fromSums(db, span, rowsFrom, (parts) => sumOfAll(db, parts));
}

/** Quota of all users' calls whose rows are deleted. */
export async function closedChargesOfAll(db: Database, periods: Periods): Promise<Taken> {
  const usage = db.collection('closed_usage');
  const filter = { user_id: 0, ...startingIn(periods) };
  const all = amountIn(await usage.group({ filter, by: [], sum: amountOfQuota }));
  const imported = amountIn(await usage.group({ filter: { ...filter, ...isImported }, by: [], sum: amountOfQuota }));
  return { charged: all - imported, imported };
}

/** Retries if sums are rewritten while being read; falls back to rows. */
async function fromSums<Sums>(db: Database, span: Piece, rowsFrom: number, read: (parts: Parts) => Promise<Sums>): Promise<Sums> {
  const middle = Math.min(span.to, Math.max(span.from, rowsFrom));
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const folds = await readFolds(db);
    const { rows, hours, days } = middle < span.to ? cut({ start: middle, end: span.to - 1 }, folds) : { rows: [], hours: [], days: [] };
    const sums = await read({ rows: span.from < middle ? [{ from: span.from, to: middle }, ...rows] : rows, hours, days });
    if ((await db.collection('log_folds').get('head'))?.generation === folds.head?.generation) return sums;
  }
  return read({ rows: [span], hours: [], days: [] });
}

async function sumByUser(
  db: Database,
  userIds: readonly number[],
  { rows, sums }: { rows: readonly Piece[]; sums: readonly Piece[] },
): Promise<Map<number, Taken>> {
  const taken = new Map<number, Taken>();
  const logs = db.collection('logs');
  for (const piece of rows) {
    const filter: Filter<LogRecord> = { user_id: { in: userIds }, and: [...within(piece), { type: LogType.consumption }] };
    const found = await logs.group({ filter, by: ['user_id', 'imported'], sum: amountOfQuota });
    noteUsers(taken, found);
    moveUsers(taken, found.filter(isOfImport));
  }
  const hours = db.collection('log_hours');
  for (const { from, to } of sums) {
    const filter = { user_id: { in: userIds }, and: [{ hour: { gte: from } }, { hour: { lt: to } }] };
    noteUsers(taken, await hours.group({ filter, by: ['user_id'], sum: amountOfQuota }));
    moveUsers(taken, await hours.group({ filter: { ...filter, ...isImported }, by: ['user_id'], sum: amountOfQuota }));
    const refunds = await logs.group({
      filter: { ...givenBack({ from, to }), user_id: { in: userIds } },
      by: ['user_id', 'imported'],
      sum: { amount: 'refunded' },
    });
    noteUsers(taken, refunds);
    moveUsers(taken, refunds.filter(isOfImport));
  }
  return taken;
}

async function sumOfAll(db: Database, { rows, hours, days }: Parts): Promise<Taken> {
  const taken: Taken = { charged: 0, imported: 0 };
  const note = (found: readonly GroupRow[]): void => {
    for (const row of found) taken[isOfImport(row) ? 'imported' : 'charged'] += Number(row['amount']);
  };
  const logs = db.collection('logs');
  for (const piece of rows) {
    const filter: Filter<LogRecord> = { and: [...within(piece), { type: LogType.consumption }] };
    note(await logs.group({ filter, by: ['imported'], sum: amountOfQuota }));
  }
  for (const [key, pieces] of [
    [allHours, hours],
    [allDays, days],
  ] as const) {
    for (const { from, to } of pieces) {
      const filter: Filter<LogSumRecord> = { key, and: [{ start: { gte: from } }, { start: { lt: to } }] };
      const sums = db.collection('log_sums');
      const imported = amountIn(await sums.group({ filter: { ...filter, ...isImported }, by: [], sum: amountOfQuota }));
      taken.charged += amountIn(await sums.group({ filter, by: [], sum: amountOfQuota })) - imported;
      taken.imported += imported;
      note(await logs.group({ filter: givenBack({ from, to }), by: ['imported'], sum: { amount: 'refunded' } }));
    }
  }
  return taken;
}

/** Quota of a user's calls whose rows are there. Parameters as of `chargesByUser`. */
export function chargesOfUser(db: Database, userId: number, span: Piece, rowsFrom: number): Promise<UserCharges> {
  return fromSums(db, span, rowsFrom, async ({ rows, hours, days }) => {
    const charges = noCharges();
    for (const piece of rows) await addRows(db, charges, userId, piece);
    for (const piece of [...hours, ...days]) await addHours(db, charges, userId, piece);
    return charges;
  });
}

/** Quota of a user's calls whose rows are deleted. */
export async function closedCharges(db: Database, userId: number, periods: Periods): Promise<UserCharges> {
  const filter = { user_id: userId, ...startingIn(periods) };
  const charges = noCharges();
  const usage = db.collection('closed_usage');
  addModels(charges, await usage.group({ filter, by: ['model_name'], sum: callsAndAmount }));
  moveModels(charges, await usage.group({ filter: { ...filter, ...isImported }, by: ['model_name'], sum: callsAndAmount }));
  return charges;
}

function startingIn({ from, to }: Periods): Filter<ClosedUsageRecord> {
  return { and: [{ start: { gte: from } }, ...(to === undefined ? [] : [{ start: { lt: to } }])] };
}

async function addRows(db: Database, charges: UserCharges, userId: number, piece: Piece): Promise<void> {
  const filter: Filter<LogRecord> = { user_id: userId, and: [...within(piece), { type: LogType.consumption }] };
  const found = await db.collection('logs').group({ filter, by: ['model_name', 'imported'], sum: amountOfQuota });
  const counted = found.map((row) => ({ ...row, calls: row.count }));
  addModels(charges, counted);
  moveModels(charges, counted.filter(isOfImport));
}

async function addHours(db: Database, charges: UserCharges, userId: number, piece: Piece): Promise<void> {
  const hours = db.collection('log_hours');
  const filter = { user_id: userId, and: [{ hour: { gte: piece.from } }, { hour: { lt: piece.to } }] };
  addModels(charges, await hours.group({ filter, by: ['model_name'], sum: callsAndAmount }));
  moveModels(charges, await hours.group({ filter: { ...filter, ...isImported }, by: ['model_name'], sum: callsAndAmount }));
  const refunds = await db.collection('logs').group({
    filter: { ...givenBack(piece), user_id: userId },
    by: ['model_name', 'imported'],
    sum: { amount: 'refunded' },
  });
  const counted = refunds.map((row) => ({ ...row, calls: 0 }));
  addModels(charges, counted);
  moveModels(charges, counted.filter(isOfImport));
}

/** Refunds, which hourly sums have subtracted. */
function givenBack(piece: Piece): Filter<LogRecord> {
  return { plain_type: LogType.system, and: [...within(piece), { refunded: { exists: true } }] };
}

function within({ from, to }: Piece): Filter<LogRecord>[] {
  return [{ created_at: { gte: from } }, { created_at: { lt: to } }];
}

const amountOfQuota = { amount: 'quota' } as const;
const callsAndAmount = { calls: 'calls', amount: 'quota' } as const;

function isOfImport(row: GroupRow): boolean {
  return row['imported'] === 1;
}

function amountIn(found: readonly GroupRow[]): number {
  return Number(found[0]?.['amount'] ?? 0);
}

function noteUsers(taken: Map<number, Taken>, found: readonly GroupRow[]): void {
  for (const row of found) {
    const known = takenBy(taken, Number(row['user_id']));
    known.charged += Number(row['amount']);
  }
}

/** Moves what is a part of the charges so far to the imported ones. */
function moveUsers(taken: Map<number, Taken>, found: readonly GroupRow[]): void {
  for (const row of found) {
    const known = takenBy(taken, Number(row['user_id']));
    known.charged -= Number(row['amount']);
    known.imported += Number(row['amount']);
  }
}

function takenBy(taken: Map<number, Taken>, userId: number): Taken {
  const known = taken.get(userId) ?? { charged: 0, imported: 0 };
  taken.set(userId, known);
  return known;
}

function noCharges(): UserCharges {
  return { charged: new Map(), imported: { calls: 0, amount: 0 } };
}

function addModels({ charged }: UserCharges, found: readonly GroupRow[]): void {
  for (const row of found) addTo(charged, String(row['model_name'] ?? ''), { calls: Number(row['calls']), amount: Number(row['amount']) });
}

/** Moves what is a part of the charges so far to the imported ones. */
function moveModels({ charged, imported }: UserCharges, found: readonly GroupRow[]): void {
  for (const row of found) {
    const calls = Number(row['calls']);
    const amount = Number(row['amount']);
    addTo(charged, String(row['model_name'] ?? ''), { calls: -calls, amount: -amount });
    imported.calls += calls;
    imported.amount += amount;
  }
}

export function addCharges(to: UserCharges, { charged, imported }: UserCharges): void {
  for (const [model, charges] of charged) addTo(to.charged, model, charges);
  to.imported.calls += imported.calls;
  to.imported.amount += imported.amount;
}

function addTo(charges: Map<string, ModelCharges>, model: string, { calls, amount }: ModelCharges): void {
  const known = charges.get(model) ?? { calls: 0, amount: 0 };
  charges.set(model, { calls: known.calls + calls, amount: known.amount + amount });
}
