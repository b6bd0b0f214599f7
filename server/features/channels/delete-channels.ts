import { ChannelStatus } from '#shared/channels.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';

/** Returns how many there were. */
export function deleteChannels(context: AppContext, ids: readonly number[]): Promise<number> {
  return removeWhere(context, { id: { in: [...new Set(ids)] } });
}

export function deleteDisabled(context: AppContext): Promise<number> {
  return removeWhere(context, { status: { in: [ChannelStatus.disabledByHand, ChannelStatus.disabledBySystem] } });
}

/** One by one, so that a channel which is enabled meanwhile stays. */
async function removeWhere(context: AppContext, filter: Filter<ChannelRecord>): Promise<number> {
  const channels = context.db.collection('channels');
  let count = 0;
  for (const { id } of await channels.find(filter)) {
    if ((await channels.take({ and: [{ id }, filter] })) === null) continue;
    count += 1;
    await context.changes.announce('channel', id);
  }
  return count;
}
