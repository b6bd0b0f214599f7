// Rate limits with counters in the database, shared by all processes. Windows are fixed: they start with the first hit.
// Used for console calls and calls about stored objects, not for relayed ones.
import { AppError } from '#shared/errors.ts';
import { limitSkewMs } from '#server/clock/clock-skew.ts';
import type { AppContext } from '#server/context.ts';
import type { LimitRecord } from '#server/db/records/limit.ts';
import type { RequestSource } from '#server/http/call.ts';
import { subscriberOf } from '#server/http/client-address.ts';

/** Maximum retries when several processes renew an expired window: one succeeds, the others count again. */
const renewalAttempts = 20;

/** Factor for the clients of one untrusted proxy together, because anyone who bypasses the proxy can forge addresses. */
const proxyFactor = 20;

/**
 * Counts one hit of an address.
 * @throws {AppError} as `enforceLimit`
 */
export async function enforceSourceLimit(
  context: AppContext,
  { source, untrustedProxy }: RequestSource,
  limit: { key: string; count: number; windowSeconds: number; refuse?: (seconds: number) => AppError },
): Promise<void> {
  await enforceLimit(context, { ...limit, key: `${limit.key}:${subscriberOf(source)}` });
  if (untrustedProxy === null) return;
  await enforceLimit(context, { ...limit, key: `${limit.key}:proxy:${untrustedProxy}`, count: limit.count * proxyFactor });
}

/**
 * Counts `hits`, or one.
 * @throws {AppError} `rate_limited`, or the error that `refuse` builds from the seconds to wait
 */
export async function enforceLimit(
  context: AppContext,
  limit: { key: string; hits?: number; count: number; windowSeconds: number; refuse?: (seconds: number) => AppError },
): Promise<void> {
  const window = await countHit(context, limit.key, limit.windowSeconds, limit.hits);
  if (window.count <= limit.count) return;
  const seconds = Math.max(1, Math.ceil((window.reset_at - context.now()) / 1000));
  throw limit.refuse?.(seconds) ?? new AppError('rate_limited', {}, { retryAfter: seconds });
}

/** Subtracts `hits`, or one, e.g. after a successful sign-in. */
export async function forgiveHit(context: AppContext, key: string, hits = 1): Promise<void> {
  await context.db.collection('limits').patch({ id: key, count: { gte: hits } }, { increment: { count: -hits } });
}

export async function clearLimit(context: AppContext, key: string): Promise<void> {
  await context.db.collection('limits').remove({ id: key });
}

/** Factor for signed-in users: a screen needs several calls. */
const signedInFactor = 5;

/** Limit of console calls per account, or per address if not signed in. */
export async function limitCaller(context: AppContext, facts: RequestSource, userId: number | undefined): Promise<void> {
  const { env } = context;
  if (!env.GLOBAL_API_RATE_LIMIT_ENABLE) return;
  const limit = { count: env.GLOBAL_API_RATE_LIMIT, windowSeconds: env.GLOBAL_API_RATE_LIMIT_DURATION };
  if (userId === undefined) await enforceSourceLimit(context, facts, { ...limit, key: 'api' });
  else await enforceLimit(context, { ...limit, key: `api:user:${userId}`, count: limit.count * signedInFactor });
}

/**
 * Factor for calls about stored objects: programs poll more often than a screen, such as twenty background responses
 * every two seconds.
 */
const storedFactor = 4;

/** Limit of calls about stored objects per user; counted separately from the user's console calls. */
export async function limitStoredCalls(context: AppContext, userId: number): Promise<void> {
  const { env } = context;
  if (!env.GLOBAL_API_RATE_LIMIT_ENABLE) return;
  await enforceLimit(context, {
    key: `kept:user:${userId}`,
    count: env.GLOBAL_API_RATE_LIMIT * signedInFactor * storedFactor,
    windowSeconds: env.GLOBAL_API_RATE_LIMIT_DURATION,
  });
}

/** Removes expired windows; run periodically. */
export async function sweepLimits(context: AppContext): Promise<number> {
  return context.db.collection('limits').remove({ reset_at: { lt: context.now() } });
}

/** Counts hits in the window of `key`; returns the count and the window's end (milliseconds). */
export async function countHit(context: AppContext, key: string, windowSeconds: number, hits = 1): Promise<LimitRecord> {
  const limits = context.db.collection('limits');
  for (let attempt = 0; attempt < renewalAttempts; attempt += 1) {
    const now = context.now();
    const fresh = { id: key, count: hits, reset_at: now + windowSeconds * 1000 };
    const latest = fresh.reset_at + limitSkewMs;
    const counted = await limits.patch({ id: key, reset_at: { gt: now, lte: latest } }, { increment: { count: hits } });
    if (counted !== null) return counted;
    const renewed = await limits.patch(
      { id: key, or: [{ reset_at: { lte: now } }, { reset_at: { gt: latest } }] },
      { set: { count: fresh.count, reset_at: fresh.reset_at } },
      { insertIfMissing: fresh },
    );
    if (renewed !== null) return renewed;
  }
  throw new Error(`The limit window ${key} could not be renewed`);
}
