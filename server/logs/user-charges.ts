// Exact amounts that calls charged to users' balances in a time span, including unlisted calls. Refunds are not
// subtracted: they are separate changes. Imported calls are left out: the balances that came with them hold their cost.
import { LogType } from '#shared/logs.ts';
import type { Filter } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import type { ClosedUsageRecord } from '#server/db/records/closed-usage.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { LogSumRecord } from '#server/db/records/log-sum.ts';
import { allDays, allHours, importedKey } from './rollup-shape.ts';
import { ownRows } from './summed-rows.ts';
import { cut, type Parts, type Piece, readFolds } from './sum-calls.ts';

export interface ModelCharges {
  calls: number;
  /** Quota. */
  amount: number;
}

/** Retries if sums are rewritten while being read; then the rows are used. */
const tries = 3;

/** Periods of deleted rows, by their start: half-open, unix seconds. */
interface Periods {
  from: number;
  to?: number;
}

/**
 * Quota charged by the calls of each user whose rows are there.
 * @param span half-open, unix seconds
 * @param rowsFrom rows before this moment may be deleted: they are few, and their hours may wait to be folded again
 */
export function chargesByUser(db: Database, userIds: readonly number[], span: Piece, rowsFrom: number): Promise<Map<number, number>> {
  return fromSums(db, span, rowsFrom, ({ rows, hours, days }) => sumByUser(db, userIds, { rows, sums: [...hours, ...days] }));
}

/** Quota charged by the calls of each user whose rows are deleted. */
export async function closedChargesByUser(db: Database, userIds: readonly number[], periods: Periods): Promise<Map<number, number>> {
  const filter = { user_id: { in: userIds }, ...startingIn(periods) };
  const found = await db.collection('closed_usage').group({ filter, by: ['user_id'], sum: { amount: 'quota' } });
  return new Map(found.map((row) => [Number(row['user_id']), Number(row['amount'])]));
}

/** Quota charged by all users' calls whose rows are there. Parameters as of `chargesByUser`. */
export function chargesOfAll(db: Database, span: Piece, rowsFrom: number): Promise<number> {
  return fromSums(db, span, rowsFrom, (parts) => sumOfAll(db, parts));
}

/** Quota charged by all users' calls whose rows are deleted. */
export async function closedChargesOfAll(db: Database, periods: Periods): Promise<number> {
  const [sums] = await db
    .collection('closed_usage')
    .group({ filter: { user_id: 0, ...startingIn(periods) }, by: [], sum: { amount: 'quota' } });
  return Number(sums?.['amount'] ?? 0);
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
): Promise<Map<number, number>> {
  const charges = new Map<number, number>();
  const add = (id: number, amount: number) => charges.set(id, (charges.get(id) ?? 0) + amount);
  const note = (found: readonly Record<string, unknown>[]): void => {
    for (const row of found) add(Number(row['user_id']), Number(row['amount']));
  };
  const byKey = new Map(userIds.map((id) => [importedKey(id), id]));
  const logs = db.collection('logs');
  for (const piece of rows) {
    const filter: Filter<LogRecord> = { user_id: { in: userIds }, and: [...within(piece), ownRows] };
    note(await logs.group({ filter, by: ['user_id'], sum: { amount: 'quota' } }));
  }
  for (const { from, to } of sums) {
    const filter = { user_id: { in: userIds }, and: [{ hour: { gte: from } }, { hour: { lt: to } }] };
    note(await db.collection('log_hours').group({ filter, by: ['user_id'], sum: { amount: 'quota' } }));
    note(
      await logs.group({ filter: { ...givenBack({ from, to }), user_id: { in: userIds } }, by: ['user_id'], sum: { amount: 'refunded' } }),
    );
    const imported = { key: { in: [...byKey.keys()] }, ...starting({ from, to }) };
    for (const row of await db.collection('log_sums').group({ filter: imported, by: ['key'], sum: { amount: 'quota' } }))
      add(byKey.get(String(row['key'])) ?? 0, 0 - Number(row['amount']));
  }
  return charges;
}

async function sumOfAll(db: Database, { rows, hours, days }: Parts): Promise<number> {
  let sum = 0;
  const note = (found: readonly Record<string, unknown>[]): void => {
    sum += Number(found[0]?.['amount'] ?? 0);
  };
  const logs = db.collection('logs');
  for (const piece of rows) {
    const filter: Filter<LogRecord> = { and: [...within(piece), ownRows] };
    note(await logs.group({ filter, by: [], sum: { amount: 'quota' } }));
  }
  for (const [key, pieces] of [
    [allHours, hours],
    [allDays, days],
  ] as const) {
    for (const { from, to } of pieces) {
      const sums = db.collection('log_sums');
      note(await sums.group({ filter: { key, ...starting({ from, to }) }, by: [], sum: { amount: 'quota' } }));
      const imported = await sums.group({ filter: { key: importedKey(), ...starting({ from, to }) }, by: [], sum: { amount: 'quota' } });
      sum -= Number(imported[0]?.['amount'] ?? 0);
      note(await logs.group({ filter: givenBack({ from, to }), by: [], sum: { amount: 'refunded' } }));
    }
  }
  return sum;
}

/** Quota charged by a user's calls whose rows are there, by model. Parameters as of `chargesByUser`. */
export function chargesOfUser(db: Database, userId: number, span: Piece, rowsFrom: number): Promise<Map<string, ModelCharges>> {
  return fromSums(db, span, rowsFrom, async ({ rows, hours, days }) => {
    const charges = new Map<string, ModelCharges>();
    for (const piece of rows) await addRows(db, charges, userId, piece);
    for (const piece of [...hours, ...days]) await addHours(db, charges, userId, piece);
    return charges;
  });
}

/** Quota charged by a user's calls whose rows are deleted, by model. */
export async function closedCharges(db: Database, userId: number, periods: Periods): Promise<Map<string, ModelCharges>> {
  const filter = { user_id: userId, ...startingIn(periods) };
  const charges = new Map<string, ModelCharges>();
  for (const row of await db.collection('closed_usage').group({ filter, by: ['model_name'], sum: { quota: 'quota', calls: 'calls' } })) {
    addCharges(charges, String(row['model_name']), { calls: Number(row['calls']), amount: Number(row['quota']) });
  }
  return charges;
}

function startingIn({ from, to }: Periods): Filter<ClosedUsageRecord> {
  return { and: [{ start: { gte: from } }, ...(to === undefined ? [] : [{ start: { lt: to } }])] };
}

async function addRows(db: Database, charges: Map<string, ModelCharges>, userId: number, piece: Piece): Promise<void> {
  const filter: Filter<LogRecord> = { user_id: userId, and: [...within(piece), ownRows] };
  for (const row of await db.collection('logs').group({ filter, by: ['model_name'], sum: { quota: 'quota' } })) {
    addCharges(charges, String(row['model_name'] ?? ''), { calls: row.count, amount: Number(row['quota']) });
  }
}

async function addHours(db: Database, charges: Map<string, ModelCharges>, userId: number, piece: Piece): Promise<void> {
  const hours = db.collection('log_hours');
  const filter = { user_id: userId, and: [{ hour: { gte: piece.from } }, { hour: { lt: piece.to } }] };
  for (const row of await hours.group({ filter, by: ['model_name'], sum: { quota: 'quota', calls: 'calls' } })) {
    addCharges(charges, String(row['model_name'] ?? ''), { calls: Number(row['calls']), amount: Number(row['quota']) });
  }
  const imported = { key: importedKey(userId), ...starting(piece) };
  for (const row of await db
    .collection('log_sums')
    .group({ filter: imported, by: ['model_name'], sum: { quota: 'quota', calls: 'calls' } })) {
    addCharges(charges, String(row['model_name'] ?? ''), { calls: 0 - Number(row['calls']), amount: 0 - Number(row['quota']) });
  }
  const refunds: Filter<LogRecord> = { ...givenBack(piece), user_id: userId };
  for (const row of await db.collection('logs').group({ filter: refunds, by: ['model_name'], sum: { refunded: 'refunded' } })) {
    addCharges(charges, String(row['model_name'] ?? ''), { calls: 0, amount: Number(row['refunded']) });
  }
}

/** Refunds, which hourly sums have subtracted. */
function givenBack(piece: Piece): Filter<LogRecord> {
  return { plain_type: LogType.system, and: [...within(piece), { refunded: { exists: true } }] };
}

function starting({ from, to }: Piece): Filter<LogSumRecord> {
  return { and: [{ start: { gte: from } }, { start: { lt: to } }] };
}

function within({ from, to }: Piece): Filter<LogRecord>[] {
  return [{ created_at: { gte: from } }, { created_at: { lt: to } }];
}

export function addCharges(charges: Map<string, ModelCharges>, model: string, { calls, amount }: ModelCharges): void {
  const known = charges.get(model) ?? { calls: 0, amount: 0 };
  charges.set(model, { calls: known.calls + calls, amount: known.amount + amount });
}
