// A cache that is to stay longer, which is paid for, or shorter: what is left then goes back when it is over.
import { AppError } from '#shared/errors.ts';
import type { ContextCacheRecord } from '#server/db/records/context-cache.ts';
import { channelOf } from '#server/files/upstream-files.ts';
import { reserveQuota } from '#server/relay/admission/reserve-call.ts';
import type { RelayServices } from '#server/relay/services.ts';
import type { KeptCaller } from '#server/responses/serve-caller.ts';
import { storingCost } from './cache-price.ts';
import { payPending } from './pay-cache.ts';
import { CacheRefusal, extendThere } from './upstream-caches.ts';

const waitMs = 60_000;

/** @param until unix seconds @throws {AppError} of the balance and the provider, `context_cache_busy` */
export async function changeCache(
  services: RelayServices,
  { admission, requestId }: KeptCaller,
  { cache, until }: { cache: ContextCacheRecord; until: number },
): Promise<ContextCacheRecord> {
  const { context } = services;
  const { id, expires_at: before, created_at: created, tokens } = cache;
  const channel = channelOf(context, cache);
  if (channel === null) throw new AppError('cached_content_not_found', { id });
  const caches = context.db.collection('context_caches');
  const busy = () => new AppError('context_cache_busy', { id });
  const now = Math.floor(context.now() / 1000);
  // What is paid for is never paid again.
  const amount = Math.max(0, storingCost(cache, tokens, until - created) - cache.paid);
  const open = { id, state: 'stored' as const, expires_at: before, pending_until: 0 };
  if (amount === 0) {
    await extendThere(context, channel, cache, until).catch(rethrow);
    const changed = await caches.patch(open, { set: { expires_at: until, updated_at: now, poll_at: until * 1000 } });
    if (changed === null) throw busy();
    return changed;
  }
  const reservation = await reserveQuota(services, admission, { amount, least: amount });
  try {
    const claim = {
      request_id: requestId,
      pending_paid: amount,
      pending_until: until,
      process: context.ledger.processId,
      token_id: admission.token.id,
      token_name: admission.tokenName,
      poll_at: context.now() + waitMs,
    };
    // What is given back goes to the key that has paid.
    const isSameKey = cache.token_id === admission.token.id;
    const pending = isSameKey ? await caches.patch(open, { set: claim }) : null;
    if (pending === null) throw busy();
    try {
      await extendThere(context, channel, pending, until);
    } catch (failure) {
      const back = { pending_paid: 0, pending_until: 0, poll_at: before * 1000 };
      await caches.patch({ id, request_id: requestId, pending_until: until }, { set: back });
      return rethrow(failure);
    }
    return await payPending(services, pending, { reservation, quota: amount });
  } finally {
    context.ledger.release(reservation);
  }
}

function rethrow(failure: unknown): never {
  throw failure instanceof CacheRefusal ? failure.error : failure;
}
