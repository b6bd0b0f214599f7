// Limits whose counters are in the database, so that all processes count together. A window is fixed: it begins with the
// first hit and ends after its length. Relayed calls never come here; what their callers ask of what is kept does.
import { AppError } from '#shared/errors.ts';
import { limitSkewMs } from '#server/clock/clock-skew.ts';
import type { AppContext } from '#server/context.ts';
import type { LimitRecord } from '#server/db/records/limit.ts';
import type { RequestSource } from '#server/http/call.ts';
import { subscriberOf } from '#server/http/client-address.ts';

/** Several processes may find an expired window at once; one of them renews it, the others count again. */
const renewalAttempts = 20;

/** Clients of one untrusted proxy together may do this many times as much as one address: who reaches the server past the proxy can write any address. */
const proxyFactor = 20;

/** Counts one hit of an address. @throws {AppError} as `enforceLimit` */
export async function enforceSourceLimit(
  context: AppContext,
  { source, untrustedProxy }: RequestSource,
  limit: { key: string; count: number; windowSeconds: number; refuse?: (seconds: number) => AppError },
): Promise<void> {
  await enforceLimit(context, { ...limit, key: `${limit.key}:${subscriberOf(source)}` });
  if (untrustedProxy === null) return;
  await enforceLimit(context, { ...limit, key: `${limit.key}:proxy:${untrustedProxy}`, count: limit.count * proxyFactor });
}

/** Counts one hit, or `hits`. @throws {AppError} `rate_limited`, or what `refuse` makes of the seconds to wait */
export async function enforceLimit(
  context: AppContext,
  limit: { key: string; hits?: number; count: number; windowSeconds: number; refuse?: (seconds: number) => AppError },
): Promise<void> {
  const window = await countHit(context, limit.key, limit.windowSeconds, limit.hits);
  if (window.count <= limit.count) return;
  const seconds = Math.max(1, Math.ceil((window.reset_at - context.now()) / 1000));
  throw limit.refuse?.(seconds) ?? new AppError('rate_limited', {}, { retryAfter: seconds });
}

/** Takes one hit back, or `hits`, e.g. after a login that succeeded. */
export async function forgiveHit(context: AppContext, key: string, hits = 1): Promise<void> {
  await context.db.collection('limits').patch({ id: key, count: { gte: hits } }, { increment: { count: -hits } });
}

export async function clearLimit(context: AppContext, key: string): Promise<void> {
  await context.db.collection('limits').remove({ id: key });
}

/** Somebody who has signed in may do this many times as much as an unknown address: a screen needs several calls. */
const signedInFactor = 5;

/** The limit of all console calls: of an account, or of an address where nobody has signed in. */
export async function limitCaller(context: AppContext, facts: RequestSource, userId: number | undefined): Promise<void> {
  const { env } = context;
  if (!env.GLOBAL_API_RATE_LIMIT_ENABLE) return;
  const limit = { count: env.GLOBAL_API_RATE_LIMIT, windowSeconds: env.GLOBAL_API_RATE_LIMIT_DURATION };
  if (userId === undefined) await enforceSourceLimit(context, facts, { ...limit, key: 'api' });
  else await enforceLimit(context, { ...limit, key: `api:user:${userId}`, count: limit.count * signedInFactor });
}

/** Programs ask for what is kept more often than a screen does: for twenty responses that go on, every two seconds. */
const storedFactor = 4;

/** The limit of calls by a key for what is kept of its user, several times that of the console; they count apart from what that does in the console. */
export async function limitStoredCalls(context: AppContext, userId: number): Promise<void> {
  const { env } = context;
  if (!env.GLOBAL_API_RATE_LIMIT_ENABLE) return;
  await enforceLimit(context, {
    key: `kept:user:${userId}`,
    count: env.GLOBAL_API_RATE_LIMIT * signedInFactor * storedFactor,
    windowSeconds: env.GLOBAL_API_RATE_LIMIT_DURATION,
  });
}

/** Removes the windows that have ended; run from time to time. */
export async function sweepLimits(context: AppContext): Promise<number> {
  return context.db.collection('limits').remove({ reset_at: { lt: context.now() } });
}

/** Counts hits in the window of `key` and tells how many there were and when the window ends (milliseconds). */
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
