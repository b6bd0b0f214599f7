// What calls took from a user's balance in a time, by model, to the last unit: also what is not listed. What was given back of them is
// not taken off: that is a change of its own.
import { LogType } from '#shared/logs.ts';
import type { Filter } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { cut, readFolds } from './sum-calls.ts';
import type { Piece } from './sum-calls.ts';

export interface ModelCharges {
  calls: number;
  /** Quota. */
  amount: number;
}

/** What is written anew while it is being read is read once more; after so many times the rows themselves are. */
const tries = 3;

/** By model. @param span half-open, unix seconds */
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

/** The same from the rows alone. */
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
  // Sums of hours are less what was given back in them.
  const refunds: Filter<LogRecord> = {
    plain_type: LogType.system,
    user_id: userId,
    and: [...within(piece), { refunded: { exists: true } }],
  };
  for (const row of await db.collection('logs').group({ filter: refunds, by: ['model_name'], sum: { refunded: 'refunded' } })) {
    add(charges, String(row['model_name'] ?? ''), { calls: 0, amount: Number(row['refunded']) });
  }
}

function within({ from, to }: Piece): Filter<LogRecord>[] {
  return [{ created_at: { gte: from } }, { created_at: { lt: to } }];
}

function add(charges: Map<string, ModelCharges>, model: string, { calls, amount }: ModelCharges): void {
  const known = charges.get(model) ?? { calls: 0, amount: 0 };
  charges.set(model, { calls: known.calls + calls, amount: known.amount + amount });
}
