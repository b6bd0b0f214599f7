// Exact amounts that calls charged to users' balances in a time span, including unlisted calls. Refunds are not
// subtracted: they are separate changes.
import { LogType } from '#shared/logs.ts';
import type { Filter } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { LogSumRecord } from '#server/db/records/log-sum.ts';
import { allDays, allHours } from './rollup-shape.ts';
import { cut, type Parts, type Piece, readFolds } from './sum-calls.ts';

export interface ModelCharges {
  calls: number;
  /** Quota. */
  amount: number;
}

/** Retries if sums are rewritten while being read; then the rows are used. */
const tries = 3;

/**
 * Quota charged by the calls of each user.
 * @param span half-open, unix seconds
 */
export function chargesByUser(db: Database, userIds: readonly number[], span: Piece): Promise<Map<number, number>> {
  return fromSums(db, span, ({ rows, hours, days }) => sumByUser(db, userIds, { rows, sums: [...hours, ...days] }));
}

/** Same from rows alone. */
export function rowChargesByUser(db: Database, userIds: readonly number[], span: Piece): Promise<Map<number, number>> {
  return sumByUser(db, userIds, { rows: [span], sums: [] });
}

/**
 * Quota charged by all users' calls.
 * @param span half-open, unix seconds
 */
export function chargesOfAll(db: Database, span: Piece): Promise<number> {
  return fromSums(db, span, (parts) => sumOfAll(db, parts));
}

/** Same from rows alone. */
export function rowChargesOfAll(db: Database, span: Piece): Promise<number> {
  return sumOfAll(db, { rows: [span], hours: [], days: [] });
}

/** Retries if sums are rewritten while being read; falls back to rows. */
async function fromSums<Sums>(db: Database, span: Piece, read: (parts: Parts) => Promise<Sums>): Promise<Sums> {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const folds = await readFolds(db);
    const sums = await read(cut({ start: span.from, end: span.to - 1 }, folds));
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
  const note = (found: readonly Record<string, unknown>[]): void => {
    for (const row of found) {
      const id = Number(row['user_id']);
      charges.set(id, (charges.get(id) ?? 0) + Number(row['amount']));
    }
  };
  const logs = db.collection('logs');
  for (const piece of rows) {
    const filter: Filter<LogRecord> = { user_id: { in: userIds }, and: [...within(piece), { type: LogType.consumption }] };
    note(await logs.group({ filter, by: ['user_id'], sum: { amount: 'quota' } }));
  }
  for (const { from, to } of sums) {
    const filter = { user_id: { in: userIds }, and: [{ hour: { gte: from } }, { hour: { lt: to } }] };
    note(await db.collection('log_hours').group({ filter, by: ['user_id'], sum: { amount: 'quota' } }));
    note(
      await logs.group({ filter: { ...givenBack({ from, to }), user_id: { in: userIds } }, by: ['user_id'], sum: { amount: 'refunded' } }),
    );
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
    const filter: Filter<LogRecord> = { and: [...within(piece), { type: LogType.consumption }] };
    note(await logs.group({ filter, by: [], sum: { amount: 'quota' } }));
  }
  for (const [key, pieces] of [
    [allHours, hours],
    [allDays, days],
  ] as const) {
    for (const { from, to } of pieces) {
      const filter: Filter<LogSumRecord> = { key, and: [{ start: { gte: from } }, { start: { lt: to } }] };
      note(await db.collection('log_sums').group({ filter, by: [], sum: { amount: 'quota' } }));
      note(await logs.group({ filter: givenBack({ from, to }), by: [], sum: { amount: 'refunded' } }));
    }
  }
  return sum;
}

/**
 * By model.
 * @param span half-open, unix seconds
 */
export async function chargesOfUser(db: Database, userId: number, span: Piece): Promise<Map<string, ModelCharges>> {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const folds = await readFolds(db);
    const { rows, hours, days } = cut({ start: span.from, end: span.to - 1 }, folds);
    const charges = new Map<string, ModelCharges>();
    for (const piece of rows) await addRows(db, charges, userId, piece);
    for (const piece of [...hours, ...days]) await addHours(db, charges, userId, piece);
    if ((await db.collection('log_folds').get('head'))?.generation === folds.head?.generation) return charges;
  }
  return rowCharges(db, userId, span);
}

/** Same from rows alone. */
export async function rowCharges(db: Database, userId: number, span: Piece): Promise<Map<string, ModelCharges>> {
  const charges = new Map<string, ModelCharges>();
  await addRows(db, charges, userId, span);
  return charges;
}

async function addRows(db: Database, charges: Map<string, ModelCharges>, userId: number, piece: Piece): Promise<void> {
  const filter: Filter<LogRecord> = { user_id: userId, and: [...within(piece), { type: LogType.consumption }] };
  for (const row of await db.collection('logs').group({ filter, by: ['model_name'], sum: { quota: 'quota' } })) {
    add(charges, String(row['model_name'] ?? ''), { calls: row.count, amount: Number(row['quota']) });
  }
}

async function addHours(db: Database, charges: Map<string, ModelCharges>, userId: number, piece: Piece): Promise<void> {
  const hours = db.collection('log_hours');
  const filter = { user_id: userId, and: [{ hour: { gte: piece.from } }, { hour: { lt: piece.to } }] };
  for (const row of await hours.group({ filter, by: ['model_name'], sum: { quota: 'quota', calls: 'calls' } })) {
    add(charges, String(row['model_name'] ?? ''), { calls: Number(row['calls']), amount: Number(row['quota']) });
  }
  const refunds: Filter<LogRecord> = { ...givenBack(piece), user_id: userId };
  for (const row of await db.collection('logs').group({ filter: refunds, by: ['model_name'], sum: { refunded: 'refunded' } })) {
    add(charges, String(row['model_name'] ?? ''), { calls: 0, amount: Number(row['refunded']) });
  }
}

/** Refunds, which hourly sums have subtracted. */
function givenBack(piece: Piece): Filter<LogRecord> {
  return { plain_type: LogType.system, and: [...within(piece), { refunded: { exists: true } }] };
}

function within({ from, to }: Piece): Filter<LogRecord>[] {
  return [{ created_at: { gte: from } }, { created_at: { lt: to } }];
}

function add(charges: Map<string, ModelCharges>, model: string, { calls, amount }: ModelCharges): void {
  const known = charges.get(model) ?? { calls: 0, amount: 0 };
  charges.set(model, { calls: known.calls + calls, amount: known.amount + amount });
}
