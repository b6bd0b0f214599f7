import { isDeepStrictEqual } from 'node:util';
import { ChannelStatus } from '#shared/channels.ts';
import type { AppContext } from '#server/context.ts';
import type { Collection, Filter } from '#server/db/collection.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { DeletedChannelRecord } from '#server/db/records/deleted-channel.ts';
import { inParallel } from '#server/queues/in-parallel.ts';

const deletedAtOnce = 8;
/** Milliseconds: long before copies of the first ones are swept while the last ones are deleted. */
const stampEvery = 15_000;

/** Returns the ids of those that there were. */
export function deleteChannels(context: AppContext, ids: readonly number[]): Promise<number[]> {
  return removeWhere(context, { id: { in: [...new Set(ids)] } });
}

export function deleteDisabled(context: AppContext): Promise<number[]> {
  return removeWhere(context, { status: { in: [ChannelStatus.disabledByHand, ChannelStatus.disabledBySystem] } });
}

/**
 * Each by itself, so that a channel which is enabled meanwhile stays, and one that cannot be deleted keeps no other from it: those that
 * are gone are told in any case, so that they can be taken back. @throws the first failure when none is gone
 */
async function removeWhere(context: AppContext, filter: Filter<ChannelRecord>): Promise<number[]> {
  const found = await context.db.collection('channels').find(filter);
  const gone = new Set<number>();
  let stampedAt = context.now();
  const failures: unknown[] = [];
  await inParallel(found, deletedAtOnce, async (channel) => {
    try {
      if (!(await remove(context, channel, filter))) return;
      gone.add(channel.id);
      await context.changes.announce('channel', channel.id);
      if (context.now() - stampedAt > stampEvery) {
        stampedAt = context.now();
        await stamp(context, [...gone]);
      }
    } catch (failure) {
      failures.push(failure);
      context.log.error({ channel_id: channel.id, err: failure }, 'a channel could not be deleted, or its deletion not be announced');
    }
  });
  if (gone.size === 0 && failures.length > 0) throw failures[0];
  await stamp(context, [...gone]);
  return found.map(({ id }) => id).filter((id) => gone.has(id));
}

/** A deletion can be taken back for a minute from when it is told, however long it took. */
async function stamp({ db, now, log }: AppContext, ids: readonly number[]): Promise<void> {
  const time = now();
  try {
    await db.collection('deleted_channels').patchAll({ id: { in: ids }, deleted_at: { lt: time } }, { set: { deleted_at: time } });
  } catch (failure) {
    // They are gone, and that is what is told; the minute counts from when each was deleted.
    log.error({ channels: ids.length, reason: String(failure) }, 'the time of a deletion could not be noted');
  }
}

/**
 * The copy from which the deletion can be taken back is stored first, so that a crash leaves the channel in one of the two places. A
 * copy of a channel that stays after all is harmless: it is swept.
 */
async function remove({ db, now, log }: AppContext, found: ChannelRecord, filter: Filter<ChannelRecord>): Promise<boolean> {
  const { id } = found;
  const channels = db.collection('channels');
  const copies = db.collection('deleted_channels');
  for (let channel: ChannelRecord | null = found; channel !== null; channel = await channels.first({ and: [{ id }, filter] })) {
    const copy = { channel, deleted_at: now() };
    await copies.patch({ id }, { set: copy }, { insertIfMissing: { id, ...copy } });
    const taken = await channels.take({ and: [{ id, revision: channel.revision }, filter] });
    // Somebody edited it meanwhile: what they stored is what is deleted.
    if (taken === null) continue;
    await correctCopy(copies, channel, taken).catch((failure: unknown) => {
      // The channel is gone, and that is what is told; its copy lacks the figures of a moment.
      log.error({ channel_id: id, reason: String(failure) }, 'the figures of a deleted channel could not be corrected');
    });
    return true;
  }
  return false;
}

/** Figures move without a revision. What has been counted onto the copy meanwhile stays. */
async function correctCopy(copies: Collection<DeletedChannelRecord>, copied: ChannelRecord, taken: ChannelRecord): Promise<void> {
  if (isDeepStrictEqual(copied, taken)) return;
  const own: Filter<DeletedChannelRecord> = { id: taken.id, 'channel.revision': taken.revision };
  const isCorrected = await copies.patch({ ...own, 'channel.used_quota': copied.used_quota }, { set: { channel: taken } });
  if (isCorrected !== null) return;
  await copies.patch(own, { increment: { 'channel.used_quota': taken.used_quota - copied.used_quota } });
}
