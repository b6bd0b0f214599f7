import { ChannelStatus } from '#shared/channels.ts';
import { commaList } from '#shared/comma-list.ts';
import type { AppContext } from '#server/context.ts';
import { editRecord } from '#server/db/edit-record.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';

/**
 * Converts stored channels to the current form and reads all of them again. The models of each channel are derived from its record, so nothing else
 * can disagree. Returns the number of repaired channels.
 */
export async function repairChannels(context: AppContext): Promise<number> {
  let count = 0;
  for await (const { id } of context.db.collection('channels').each({})) {
    const edited = await editRecord(context, 'channels', { id, change: mended });
    if (edited !== null && edited.after !== edited.before) count += 1;
  }
  await context.channels.reload();
  return count;
}

const statuses: readonly number[] = Object.values(ChannelStatus);

function mended(channel: ChannelRecord): { set: Partial<ChannelRecord> } | null {
  const right: Partial<ChannelRecord> = {
    models: commaList(channel.models).join(','),
    group: commaList(channel.group).join(',') || 'default',
    tag: channel.tag.trim(),
    status: statuses.includes(channel.status) ? channel.status : ChannelStatus.disabledByHand,
    weight: Math.max(0, channel.weight),
  };
  const wanted = new Map<string, unknown>(Object.entries(right));
  const isRight = Object.entries(channel).every(([field, value]) => !wanted.has(field) || wanted.get(field) === value);
  return isRight ? null : { set: right };
}
