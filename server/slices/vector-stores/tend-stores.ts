// Goes on with every store: asks its provider how large it is, ends its day and pays the next one ahead, and lets go of what has expired, what nobody
// pays, and what a process left in the middle of its creation.
import type { AppContext } from '#server/context.ts';
import type { VectorStoreRecord } from '#server/db/records/vector-store.ts';
import { pollInTurn, turnBounds } from '#server/slices/files/poll-in-turn.ts';
import type { TurnBounds } from '#server/slices/files/poll-in-turn.ts';
import { releaseFiles } from '#server/slices/files/retained-files.ts';
import { channelOf } from '#server/slices/files/upstream-files.ts';
import type { Requesting } from '#server/slices/files/upstream-files.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { noteReported } from './look-at-store.ts';
import { closeDay, coverBytes, settledStore } from './pay-store.ts';
import { reportUnpaid } from './store-day.ts';
import { daySeconds } from './store-price.ts';
import { changeStore, expiryOf } from './store-records.ts';
import { requestStore, deleteStore, findAtProvider, storePath, switchOf } from './upstream-stores.ts';

const atOnce = 50;
/** Until somebody else may take one that is being looked at. */
const claimMs = 10 * 60_000;
const retryMs = 60_000;
/** Milliseconds between two looks: while files are being worked on, and else. */
const lookMs = { busy: 60_000, usual: 3600_000 };
/** Seconds that a store stays that nobody pays. */
const graceSeconds = 3 * daySeconds;
/** Seconds that its caller is told that it has expired. */
const reportedSeconds = 30 * daySeconds;
/** Seconds after which nobody will tell what became of it; the provider has let it go by itself. */
const givenUpAfter = 31 * daySeconds;
/** Until a provider is asked again that has not answered, and seconds after which it is taken for gone. */
const unseenMs = 10 * 60_000;
const unseenSeconds = 7 * daySeconds;
/** Days that are made up for in one look; the next one goes on. */
const mostDays = 40;

/** A job. */
export async function tendStores(context: AppContext, bounds: TurnBounds = turnBounds): Promise<void> {
  const due = await context.db
    .collection('vector_stores')
    .find({ poll_at: { lte: context.now() } }, { sort: [['poll_at', 1]], limit: atOnce });
  await pollInTurn(due, {
    context,
    bounds,
    claim: ({ id, poll_at: at }) => changeStore(context, id, (now) => (now.poll_at === at ? { poll_at: context.now() + claimMs } : null)),
    look: ({ id }, requesting) => tendStore(requesting, id),
    again: ({ id }) => lookAgain(context, id, retryMs),
  });
}

/** One of them, as far as it goes now. */
async function tendStore(context: AppContext & Requesting, id: string): Promise<void> {
  const store = await settledStore(context, id);
  if (store?.state === 'creating') return tendCreating(context, store);
  if (store?.state === 'stored') return tendStored(context, store);
  if (store?.state === 'leaving') return tendLeaving(context, store);
  if (store?.state === 'expired') await context.db.collection('vector_stores').remove({ id, state: 'expired' });
}

async function lookAgain(context: AppContext, id: string, after: number): Promise<void> {
  await changeStore(context, id, () => ({ poll_at: context.now() + after }));
}

/** Its caller heard that there is none. What the provider has of it goes. */
async function tendCreating(context: AppContext & Requesting, store: VectorStoreRecord): Promise<void> {
  const channel = channelOf(context, store);
  const found = channel === null ? null : await findAtProvider(context, channel, store);
  const now = Math.floor(context.now() / 1000);
  if (found === undefined && now < store.created_at + givenUpAfter) return lookAgain(context, store.id, retryMs);
  await leaveStore(context, store.id, { at: store.created_at, upstreamId: found ?? '' });
}

interface Leaving {
  /** Unix seconds since when nothing of it costs. */
  at: number;
  hasExpired?: boolean;
  /** Of one that was not known to be there; it has cost nothing. */
  upstreamId?: string;
}

/** It is over, and goes as far as it goes now; the job does the rest. Null: it was so already. */
export async function leaveStore(
  context: AppContext & Requesting,
  id: string,
  { at, hasExpired = false, upstreamId }: Leaving,
): Promise<VectorStoreRecord | null> {
  const left = await changeStore(context, id, (store) =>
    store.state === 'creating' || store.state === 'stored'
      ? {
          state: 'leaving',
          // Where nobody can reach it any more it is paid for as long as it was seen.
          left_at: channelOf(context, store) === null ? Math.min(at, store.seen_at) : at,
          has_expired: hasExpired,
          poll_at: context.now() + retryMs,
          ...(upstreamId === undefined ? {} : { upstream_id: upstreamId, day_bytes: 0 }),
        }
      : null,
  );
  if (left !== null) await tendLeaving(context, left);
  return left;
}

/** One that its provider has made after it was given up here: it goes from there, too. @param begun as it was written first */
export async function leaveLate(context: AppContext & Requesting, begun: VectorStoreRecord, upstreamId: string): Promise<void> {
  const late = { state: 'leaving' as const, left_at: begun.created_at, upstream_id: upstreamId, poll_at: context.now() + retryMs };
  const record = { ...begun, ...late };
  const known = await changeStore(context, begun.id, () => late);
  if (known === null) await context.db.write([{ insert: record, into: 'vector_stores', ignoreConflict: true }]);
  await tendLeaving(context, record);
}

async function tendLeaving(context: AppContext & Requesting, { id }: VectorStoreRecord): Promise<void> {
  const store = await endDays(context, id);
  if (store === null) return;
  if (isOwed(store)) return lookAgain(context, id, 1000);
  const now = Math.floor(context.now() / 1000);
  const isGone = store.left_at < now - givenUpAfter || (await deleteStore(context, store));
  if (!isGone) return lookAgain(context, id, retryMs);
  await releaseFiles(context, store);
  if (!store.has_expired) return void (await context.db.collection('vector_stores').remove({ id, state: 'leaving' }));
  await changeStore(context, id, () => ({
    state: 'expired',
    usage_bytes: 0,
    claimed_bytes: 0,
    poll_at: context.now() + reportedSeconds * 1000,
  }));
}

/**
 * Days until it was over that nobody has looked at are paid as those of one that stays, the oldest first, as far as there is money: the rest is owed
 * by nobody. The record as it is then.
 */
async function endDays(context: AppContext, id: string): Promise<VectorStoreRecord | null> {
  let store = await settledStore(context, id);
  for (let days = 0; store !== null && days < mostDays; days += 1) {
    const { reserved, period_from: from, day_bytes: bytes } = store;
    if (reserved === 0 && !isOwed(store)) break;
    if (reserved === 0 && !(await coverBytes(context, id, bytes, 'leaving'))) return changeStore(context, id, () => ({ left_at: from }));
    store = await closeDay(context, id, store.left_at);
  }
  return store;
}

/** Of one that leaves: days that nobody has paid. */
function isOwed({
  left_at: until,
  period_from: from,
  upstream_id: name,
  unpaid_since: since,
  day_bytes: bytes,
}: VectorStoreRecord): boolean {
  return until > from && name !== '' && since === 0 && bytes > 0;
}

async function tendStored(context: AppContext & Requesting, store: VectorStoreRecord): Promise<void> {
  const { id } = store;
  const now = Math.floor(context.now() / 1000);
  const owner = await context.db.collection('users').get(store.user_id);
  if (owner === null || owner.DeletedAt !== null) return void (await leaveStore(context, id, { at: now }));
  const channel = channelOf(context, store);
  // Nobody can reach it any more: what it costs ends where it was seen last.
  if (channel === null) return void (await leaveStore(context, id, { at: store.seen_at }));
  const answer = await requestStore(context, channel, { method: 'GET', path: storePath(store) });
  // Since when, nobody can tell.
  if ('failure' in answer && answer.failure.upstreamStatus === 404)
    return void (await leaveStore(context, id, { at: store.seen_at, hasExpired: true }));
  // No day ends before it is known what was there.
  if ('failure' in answer)
    return now > store.seen_at + unseenSeconds
      ? void (await leaveStore(context, id, { at: store.seen_at }))
      : lookAgain(context, id, unseenMs);
  if (answer.reported.hasExpired) return void (await leaveStore(context, id, { at: store.seen_at, hasExpired: true }));
  const seen = await noteReported(context, id, answer.reported);
  if (seen === null) return;
  const expiry = expiryOf(seen);
  if (expiry !== null && expiry <= now)
    return void (await leaveStore(context, id, { at: Math.max(expiry, seen.period_from), hasExpired: true }));
  await payDays(context, seen, channel);
}

/** Days that are over are ended, and the one that it is now is paid ahead. */
async function payDays(context: AppContext & Requesting, seen: VectorStoreRecord, channel: PreparedChannel): Promise<void> {
  const { id } = seen;
  const now = Math.floor(context.now() / 1000);
  let store: VectorStoreRecord | null = seen;
  for (let days = 0; days < mostDays; days += 1) {
    if (!(await coverBytes(context, id, Math.max(store.claimed_bytes, store.day_bytes)))) return unpaid(context, id);
    if (store.period_from + daySeconds > now) break;
    store = await closeDay(context, id, store.period_from + daySeconds);
    if (store === null) return;
  }
  if (store.period !== seen.period) await keepAlive(context, store, channel);
  await changeStore(context, id, (paid) => {
    const isBusy = paid.files_in_progress > 0 || paid.claimed_bytes !== paid.usage_bytes;
    const next = Math.min(context.now() + (isBusy ? lookMs.busy : lookMs.usual), (paid.period_from + daySeconds) * 1000);
    return { unpaid_since: 0, poll_at: Math.max(context.now() + 1000, next) };
  });
}

/** Without it the provider lets it go. One that fails is made up for by the next day's. */
async function keepAlive(context: AppContext & Requesting, store: VectorStoreRecord, channel: PreparedChannel): Promise<void> {
  const idle = Math.floor(context.now() / 1000) - store.last_active_at;
  const answer = await requestStore(context, channel, { method: 'POST', path: storePath(store), body: { expires_after: switchOf(idle) } });
  if ('failure' in answer)
    context.log.warn({ store: store.id, reason: answer.failure.message }, 'a provider was not told to keep a vector store on');
}

/** Its owner is told, once; when nobody has paid in time it goes. */
async function unpaid(context: AppContext & Requesting, id: string): Promise<void> {
  const now = Math.floor(context.now() / 1000);
  const store = await changeStore(context, id, ({ state, unpaid_since: since }) =>
    state === 'stored' ? { unpaid_since: since === 0 ? now : since, poll_at: context.now() + lookMs.usual } : null,
  );
  if (store === null) return;
  const until = store.unpaid_since + graceSeconds;
  if (now >= until) return void (await leaveStore(context, id, { at: now, hasExpired: true }));
  await reportUnpaid(context, store, until);
}
