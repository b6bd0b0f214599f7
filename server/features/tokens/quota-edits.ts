import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { enforceLimit, forgiveHit } from '#server/http/rate-limit.ts';

/** Limit per user: each change of a token's quota is an entry in the ledger, which never deletes any. */
const quotaEdits = { count: 1000, windowSeconds: 3600 };

/** @throws {AppError} `rate_limited`, before anything is stored */
export async function countQuotaEdits(context: AppContext, userId: number, hits: number): Promise<void> {
  const key = `token-quota:${userId}`;
  try {
    await enforceLimit(context, { key, hits, ...quotaEdits });
  } catch (failure) {
    // What was refused was not made: smaller edits still find room.
    if (hits > 1 && failure instanceof AppError && failure.code === 'rate_limited') await forgiveHit(context, key, hits);
    throw failure;
  }
}
