// Maintains stores: reads their size, closes the day and prepays the next one; ends stores that have expired, are
// unpaid, or whose creation was interrupted.
import type { AppContext } from '#server/context.ts';
import type { VectorStoreRecord } from '#server/db/records/vector-store.ts';
import { pollInTurn, type TurnBounds, turnBounds } from '#server/work/poll-in-turn.ts';
import { releaseFiles } from '#server/objects/retained-files.ts';
import { channelOf, type Requesting } from '#server/objects/upstream-files.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { noteReported } from './look-at-store.ts';
import { closeDay, coverBytes, settledStore } from './pay-store.ts';
import { reportUnpaid } from './report-day.ts';
import { daySeconds } from './store-price.ts';
import { changeStore, expiryOf } from './store-records.ts';
import { requestStore, deleteStore, findAtProvider, storePath, switchOf } from './upstream-stores.ts';

const atOnce = 50;
/** Time until another process may claim the store. */
const claimMs = 10 * 60_000;
const retryMs = 60_000;
/** Milliseconds between looks: while files are processed, and otherwise. */
const lookMs = { busy: 60_000, usual: 3600_000 };
/** Seconds for which an unpaid store remains. */
const graceSeconds = 3 * daySeconds;
/** Seconds for which an expired store is listed. */
const reportedSeconds = 30 * daySeconds;
/** Seconds after which a store is given up; the provider has deleted it by itself. */
const givenUpAfter = 31 * daySeconds;
/** Milliseconds until an unresponsive provider is queried again, and seconds after which its store counts as lost. */
const unseenMs = 10 * 60_000;
const unseenSeconds = 7 * daySeconds;
/** Maximum days closed per look; the next one continues. */
const mostDays = 40;

/** Job. */
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

/** Maintains one store. */
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

/** The caller got an error. The store is deleted at the provider. */
async function tendCreating(context: AppContext & Requesting, store: VectorStoreRecord): Promise<void> {
  const channel = channelOf(context, store);
  const found = channel === null ? null : await findAtProvider(context, channel, store);
  const now = Math.floor(context.now() / 1000);
  if (found === undefined && now < store.created_at + givenUpAfter) return lookAgain(context, store.id, retryMs);
  await leaveStore(context, store.id, { at: store.created_at, upstreamId: found ?? '' });
}

interface Leaving {
  /** Unix seconds from which it is free. */
  at: number;
  hasExpired?: boolean;
  /** Id of a store found only now; it was free. */
  upstreamId?: string;
}

/** Ends a store as far as possible now; the job does the rest. Returns null if it has ended already. */
export async function leaveStore(
  context: AppContext & Requesting,
  id: string,
  { at, hasExpired = false, upstreamId }: Leaving,
): Promise<VectorStoreRecord | null> {
  const left = await changeStore(context, id, (store) =>
    store.state === 'creating' || store.state === 'stored'
      ? {
          state: 'leaving',
          // If it cannot be reached any more, it is billed until it was last seen.
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

/**
 * A store created after it was given up: deletes it at the provider.
 * @param begun the record as first written
 */
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
 * Bills the remaining days of an ended store like those of a live one, oldest first, as far as the balance reaches; the
 * rest is not owed. Returns the record.
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

/** Reports whether days of an ended store are unpaid. */
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
  // It cannot be reached any more: it is billed until it was last seen.
  if (channel === null) return void (await leaveStore(context, id, { at: store.seen_at }));
  const answer = await requestStore(context, channel, { method: 'GET', path: storePath(store) });
  // The time of its deletion is unknown.
  if ('failure' in answer && answer.failure.upstreamStatus === 404)
    return void (await leaveStore(context, id, { at: store.seen_at, hasExpired: true }));
  // No day is closed before its size is known.
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

/** Closes past days and prepays the current one. */
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

/** Prevents expiry at the provider. A failure is made up for the next day. */
async function keepAlive(context: AppContext & Requesting, store: VectorStoreRecord, channel: PreparedChannel): Promise<void> {
  const idle = Math.floor(context.now() / 1000) - store.last_active_at;
  const answer = await requestStore(context, channel, { method: 'POST', path: storePath(store), body: { expires_after: switchOf(idle) } });
  if ('failure' in answer)
    context.log.warn({ store: store.id, reason: answer.failure.message }, 'a provider was not told to keep a vector store on');
}

/** Notifies the owner once; if unpaid in time, the store ends. */
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
