// Models that were requested in the last day and have no price.
import { LogType } from '#shared/logs.ts';
import type { Database } from '#server/db/database.ts';
import { hourSeconds } from '#server/logs/rollup-shape.ts';

const unpricedCodes = ['model_price_error', 'model_price_error_admin'];

/** Returns the number of calls of the last day that were refused for want of a price, by model. @param at unix seconds */
export async function refusedUnpriced(db: Database, at: number): Promise<Map<string, number>> {
  const since = at - 24 * hourSeconds;
  const sums = await db.collection('logs').group({
    filter: { plain_type: LogType.refusal, created_at: { gte: since }, 'other.refusal.code': { in: unpricedCodes } },
    by: ['model_name'],
    sum: { calls: 'other.refusal.count' },
  });
  return new Map(sums.map(({ model_name, calls }) => [String(model_name), Number(calls)]));
}
