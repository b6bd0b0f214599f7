import { ChannelStatus } from '#shared/channels.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';

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
async function remove({ db, now }: AppContext, found: ChannelRecord, filter: Filter<ChannelRecord>): Promise<boolean> {
  const { id } = found;
  const channels = db.collection('channels');
  const copies = db.collection('deleted_channels');
  for (let channel: ChannelRecord | null = found; channel !== null; channel = await channels.first({ and: [{ id }, filter] })) {
    const copy = { channel, deleted_at: now() };
    await copies.patch({ id }, { set: copy }, { insertIfMissing: { id, ...copy } });
    const taken = await channels.take({ and: [{ id, revision: channel.revision }, filter] });
    // Somebody edited it meanwhile: what they stored is what is deleted.
    if (taken === null) continue;
    // Figures move without a revision.
    await copies.patch({ id, 'channel.revision': taken.revision }, { set: { channel: taken } });
    return true;
  }
  return false;
}
