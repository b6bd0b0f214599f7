// A cache that is over: what its storing did not use goes back, once, and the provider lets it go. Trying again is harmless: the ledger's entries
// have names that the record gives them.
import type { AppContext } from '#server/context.ts';
import type { ContextCacheRecord } from '#server/db/records/context-cache.ts';
import type { Asking } from '#server/files/upstream-files.ts';
import { returnRest } from '#server/money/return-rest.ts';
import { addChannelUse } from '#server/upstream/deleted-channels.ts';
import { storingCost } from './cache-price.ts';
import { deleteThere } from './upstream-caches.ts';

const retryMs = 60_000;
/** Seconds behind its end after which nothing of it is left at any provider. */
const givenUpAfter = 7 * 24 * 3600;

/** Null: it was over already, or its charge is on its way. @param upstreamId of one that was not known to be there */
export async function leaveCache(
  context: AppContext & Asking,
  { id, state }: ContextCacheRecord,
  { at, upstreamId }: { at: number; upstreamId?: string },
): Promise<ContextCacheRecord | null> {
  const set = {
    state: 'leaving' as const,
    left_at: at,
    poll_at: context.now() + retryMs,
    ...(upstreamId === undefined ? {} : { upstream_id: upstreamId }),
  };
  const left = await context.db.collection('context_caches').patch({ id, state, pending_until: 0 }, { set });
  if (left !== null) await finishLeaving(context, left);
  return left;
}

export async function finishLeaving(context: AppContext & Asking, cache: ContextCacheRecord): Promise<void> {
  const caches = context.db.collection('context_caches');
  const again = () => caches.patch({ id: cache.id, state: 'leaving' }, { set: { poll_at: context.now() + retryMs } });
  const rest = restOf(cache);
  if (rest > 0) {
    const paid = { user_id: cache.user_id, token_id: cache.token_id, token_reserved: cache.token_paid };
    const refOf = (account: string) => `cache:${cache.id}:refund:${account}`;
    const isDone = await returnRest(context, paid, { rest, kind: 'cache_refund', refOf });
    if (isDone === null) return void (await again());
    if (!isDone) context.log.error({ cache: cache.id, quota: rest }, 'what a cache did not use could not be given back');
  }
  const isGone = cache.expires_at + givenUpAfter < context.now() / 1000 || (await deleteThere(context, cache));
  if (!isGone) return void (await again());
  const removed = await caches.remove({ id: cache.id, state: 'leaving' });
  // A figure for administrators: whoever ends the cache corrects it.
  if (removed > 0 && rest > 0) await addChannelUse(context.db, cache.channel_id, -rest);
}

/** What was paid ahead beyond the seconds that it was there. */
function restOf(cache: ContextCacheRecord): number {
  const seconds = Math.max(0, Math.min(cache.left_at, cache.expires_at) - cache.created_at);
  return Math.max(0, cache.paid - storingCost(cache, cache.tokens, seconds));
}
