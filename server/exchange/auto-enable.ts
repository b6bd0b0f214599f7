// Enables a channel that was disabled automatically.
import { ChannelStatus } from '#shared/channels.ts';
import type { AppContext } from '#server/context.ts';
import { editRecord } from '#server/db/edit-record.ts';
import { alertOfChannel } from '#server/notify/notifications.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { statusReason } from './status-reason.ts';

/** Returns false if it is in another state; a channel that an administrator disabled stays disabled. */
export async function enableChannel(context: Pick<AppContext, 'db' | 'changes' | 'now' | 'log'>, channelId: number): Promise<boolean> {
  const edited = await editRecord(context, 'channels', {
    id: channelId,
    where: { status: ChannelStatus.disabledBySystem },
    change({ other_info }) {
      const info = { ...parseObject(other_info), ...statusReason(null), status_time: Math.floor(context.now() / 1000) };
      return { set: { status: ChannelStatus.enabled, other_info: JSON.stringify(info) } };
    },
  });
  if (edited === null) return false;
  context.log.info({ channel: channelId }, 'a channel was enabled automatically');
  await alertOfChannel(context, { id: channelId, name: edited.after.name, status: ChannelStatus.enabled, reason: null });
  return true;
}
