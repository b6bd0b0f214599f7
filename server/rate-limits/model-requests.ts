// Rate limit of model requests per user by the options `ModelRequestRateLimit*`: of all requests, and of those that succeed, in windows of some minutes
// that begin with the first request. Counts are in the database, which all processes share. Nothing is counted while the settings are off.
import { AppError } from '#shared/errors.ts';
import { limitSkewMs } from '#server/clock/clock-skew.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { LimitRecord } from '#server/db/records/limit.ts';

export type LimitServices = Pick<AppContext, 'db' | 'settings' | 'now' | 'log'>;

export interface CountedRequest {
  /** Counts the call as a success. Never rejects, because a settled call is answered even if it could not be counted. */
  succeeded(): Promise<void>;
}

export function countsModelRequests({ settings }: Pick<LimitServices, 'settings'>): boolean {
  return settings.get('ModelRequestRateLimitEnabled') && settings.get('ModelRequestRateLimitDurationMinutes') > 0;
}

/**
 * Counts a request; null if no limit is set.
 * @throws {AppError} `request_rate_limited`, `total_rate_limited`, with `retryAfter`
 */
export function enterModelRequests(services: LimitServices, userId: number): Promise<CountedRequest> | null {
  return countsModelRequests(services) ? enter(services, userId) : null;
}

async function enter(services: LimitServices, userId: number): Promise<CountedRequest> {
  const { db, settings, now, log } = services;
  const minutes = settings.get('ModelRequestRateLimitDurationMinutes');
  const windowMs = minutes * 60_000;
  const total = settings.get('ModelRequestRateLimitCount');
  const successes = settings.get('ModelRequestRateLimitSuccessCount');
  const successId = `model-success:${userId}`;
  const row = await db.collection('limits').get(successId);
  const time = now();
  if (row !== null && row.reset_at > time && row.reset_at <= time + windowMs + limitSkewMs && row.count >= successes) {
    throw new AppError('request_rate_limited', { minutes, count: successes }, { retryAfter: await secondsLeft(services, successId) });
  }
  const totalId = `model-total:${userId}`;
  if (total > 0 && !(await count(services, { id: totalId, limit: total, windowMs }))) {
    throw new AppError('total_rate_limited', { minutes, count: total }, { retryAfter: await secondsLeft(services, totalId) });
  }
  return {
    async succeeded() {
      try {
        await count(services, { id: successId, limit: Number.MAX_SAFE_INTEGER, windowMs });
      } catch (failure) {
        log.warn({ reason: String(failure) }, 'a successful call was not counted for the rate limit');
      }
    },
  };
}

/** Counts one request in the current window; returns false if the window is full. */
async function count(
  { db, now }: Pick<LimitServices, 'db' | 'now'>,
  { id, limit, windowMs }: { id: string; limit: number; windowMs: number },
): Promise<boolean> {
  const time = now();
  const fresh = { id, count: 1, reset_at: time + windowMs };
  const latest = fresh.reset_at + limitSkewMs;
  const hasRoom: Filter<LimitRecord> = { id, reset_at: { gt: time, lte: latest }, count: { lt: limit } };
  const counted = await db.collection('limits').patch(hasRoom, { increment: { count: 1 } });
  if (counted !== null) return true;
  const isOver: Filter<LimitRecord> = { id, or: [{ reset_at: { lte: time } }, { reset_at: { gt: latest } }] };
  const restarted = await db
    .collection('limits')
    .patch(isOver, { set: { count: 1, reset_at: fresh.reset_at } }, { insertIfMissing: fresh });
  if (restarted !== null) return true;
  // Another request may have opened the window meanwhile.
  return (await db.collection('limits').patch(hasRoom, { increment: { count: 1 } })) !== null;
}

async function secondsLeft({ db, now }: Pick<LimitServices, 'db' | 'now'>, id: string): Promise<number> {
  const row = await db.collection('limits').get(id);
  return row === null ? 1 : Math.max(1, Math.ceil((row.reset_at - now()) / 1000));
}
