// Extends a cache, which is paid for, or shortens it: the unused time is refunded at its end.
import { AppError } from '#shared/errors.ts';
import type { ContextCacheRecord } from '#server/db/records/context-cache.ts';
import { channelOf } from '#server/objects/upstream-files.ts';
import { reserveQuota } from '#server/call/admission/reserve-call.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { StoredCaller } from '#server/objects/serve-caller.ts';
import { checkPayers } from './cache-payers.ts';
import { cacheTerms, extendSpans, spansCost, spansOf } from './cache-price.ts';
import { payPending } from './pay-cache.ts';
import { CacheRefusal, extendThere } from './upstream-caches.ts';

const waitMs = 60_000;

/**
 * Sets the end of a cache. Unpaid time costs the current price, reserved before the provider is called; paid time is
 * never charged again. Any key of the owner may do so, and the key that extends pays. It must be allowed to use the
 * model to extend a cache, not to shorten one.
 * @param until unix seconds
 * @throws {AppError} for the key, the price, the balance and the provider, `context_cache_busy`
 */
export async function changeCache(
  services: RelayServices,
  { admission, requestId }: StoredCaller,
  { cache, until }: { cache: ContextCacheRecord; until: number },
): Promise<ContextCacheRecord> {
  const { context, gate } = services;
  const { id, model, expires_at: before, tokens } = cache;
  if (until > before) gate.checkModel(admission, model);
  const channel = channelOf(context, cache);
  if (channel === null) throw new AppError('cached_content_not_found', { id });
  const caches = context.db.collection('context_caches');
  const busy = () => new AppError('context_cache_busy', { id });
  const now = Math.floor(context.now() / 1000);
  const paidFor = spansOf(cache);
  const { group } = admission;
  const isPaidFor = until <= (paidFor.at(-1)?.until ?? 0);
  const spans = isPaidFor
    ? paidFor
    : extendSpans(paidFor, { ...cacheTerms(context, { model, group, userGroup: admission.user.group }), group }, until);
  const amount = isPaidFor ? 0 : Math.max(0, spansCost(spans, tokens) - cache.paid);
  const open = { id, state: 'stored' as const, expires_at: before, paid: cache.paid, pending_until: 0 };
  if (amount === 0) {
    await extendThere(context, channel, cache, until).catch(rethrow);
    const set = { expires_at: until, updated_at: now, poll_at: until * 1000, spans: JSON.stringify(spans) };
    const changed = await caches.patch(open, { set });
    if (changed === null) throw busy();
    return changed;
  }
  checkPayers(cache, admission.token.id);
  const reservation = await reserveQuota(services, admission, { model: cache.model, amount, least: amount });
  try {
    const claim = {
      request_id: requestId,
      pending_paid: amount,
      pending_until: until,
      pending_spans: JSON.stringify(spans),
      process: context.ledger.processId,
      pending_token_id: admission.token.id,
      pending_token_name: admission.tokenName,
      poll_at: context.now() + waitMs,
    };
    const pending = await caches.patch(open, { set: claim });
    if (pending === null) throw busy();
    try {
      await extendThere(context, channel, pending, until);
    } catch (failure) {
      const back = { pending_paid: 0, pending_until: 0, pending_spans: '', poll_at: before * 1000 };
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
