import { isDeepStrictEqual } from 'node:util';
import { ChannelStatus } from '#shared/channels.ts';
import type { AppContext } from '#server/context.ts';
import type { Collection, Filter } from '#server/db/collection.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { DeletedChannelRecord } from '#server/db/records/deleted-channel.ts';

/** Returns the ids of those that there were. */
export function deleteChannels(context: AppContext, ids: readonly number[]): Promise<number[]> {
  return removeWhere(context, { id: { in: [...new Set(ids)] } });
}

export function deleteDisabled(context: AppContext): Promise<number[]> {
  return removeWhere(context, { status: { in: [ChannelStatus.disabledByHand, ChannelStatus.disabledBySystem] } });
}

/** One by one, so that a channel which is enabled meanwhile stays. */
async function removeWhere(context: AppContext, filter: Filter<ChannelRecord>): Promise<number[]> {
  const ids: number[] = [];
  for (const channel of await context.db.collection('channels').find(filter)) {
    if (!(await remove(context, channel, filter))) continue;
    ids.push(channel.id);
    await context.changes.announce('channel', channel.id);
  }
  return ids;
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
