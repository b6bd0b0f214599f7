// Ends expired caches, and resolves charges whose process died.
import type { AppContext } from '#server/context.ts';
import type { ContextCacheRecord } from '#server/db/records/context-cache.ts';
import { resolvedCharge } from '#server/money/recovery/call-charge.ts';
import { pollInTurn, type TurnBounds, turnBounds } from '#server/work/poll-in-turn.ts';
import { channelOf, type Requesting } from '#server/objects/upstream-files.ts';
import { finishLeaving, leaveCache } from './leave-cache.ts';
import { notePaid } from './pay-cache.ts';
import { findThere } from './upstream-caches.ts';

const atOnce = 50;
/** Time until another process may claim the cache. */
const claimMs = 10 * 60_000;
const retryMs = 60_000;
/** Seconds after which it is given up; the provider has deleted it by itself. */
const givenUpAfter = 8 * 24 * 3600;

/** Job. */
export async function tendCaches(context: AppContext, bounds: TurnBounds = turnBounds): Promise<void> {
  const caches = context.db.collection('context_caches');
  const due = await caches.find({ poll_at: { lte: context.now() } }, { sort: [['poll_at', 1]], limit: atOnce });
  await pollInTurn(due, {
    context,
    bounds,
    claim: ({ id, poll_at: at }) => caches.patch({ id, poll_at: at }, { set: { poll_at: context.now() + claimMs } }),
    look: (cache, requesting) => look({ ...context, ...requesting }, cache),
    again: ({ id }) => again(context, id),
  });
}

async function again({ db, now }: AppContext, id: string): Promise<void> {
  await db.collection('context_caches').patch({ id }, { set: { poll_at: now() + retryMs } });
}

async function look(context: AppContext & Requesting, cache: ContextCacheRecord): Promise<void> {
  if (cache.state === 'leaving') return finishLeaving(context, cache);
  if (cache.pending_until > 0) return lookAtPending(context, cache);
  if (cache.state === 'creating') return lookAtCreating(context, cache);
  if (cache.expires_at * 1000 > context.now()) {
    await context.db.collection('context_caches').patch({ id: cache.id, state: 'stored' }, { set: { poll_at: cache.expires_at * 1000 } });
    return;
  }
  await leaveCache(context, cache, { at: cache.expires_at });
}

async function lookAtPending(context: AppContext & Requesting, cache: ContextCacheRecord): Promise<void> {
  const paid = await resolvedCharge(context.db, cache);
  if (paid === undefined) return again(context, cache.id);
  if (paid !== null) return void (await notePaid(context, cache, paid));
  const { id, request_id: request, created_at: created, expires_at: end } = cache;
  // The charge failed: the cache reverts to its previous end, or is dropped.
  const set = { pending_paid: 0, pending_until: 0, poll_at: end * 1000 };
  const unpaid = await context.db
    .collection('context_caches')
    .patch({ id, request_id: request, pending_until: cache.pending_until }, { set });
  if (unpaid?.state === 'paying') await leaveCache(context, unpaid, { at: created });
}

/** Nothing was charged, and the caller got an error. The cache is deleted at the provider. */
async function lookAtCreating(context: AppContext & Requesting, cache: ContextCacheRecord): Promise<void> {
  const { id, created_at: created } = cache;
  const owner = await context.db.collection('processes').get(cache.process);
  const isOld = context.now() / 1000 > created + 3600;
  if (owner?.state === 'alive' && !isOld) return again(context, id);
  const channel = channelOf(context, cache);
  const found = channel === null ? null : await findThere(context, channel, cache);
  if (found === undefined && context.now() / 1000 < created + givenUpAfter) return again(context, id);
  await leaveCache(context, cache, { at: created, upstreamId: found ?? '' });
}
