// Disables a channel whose upstream refuses the channel itself, such as for an invalid key or an empty balance.
import { ChannelStatus } from '#shared/channels.ts';
import { type FailureReason, storedReason } from '#shared/failure-reasons.ts';
import type { AppContext } from '#server/context.ts';
import { editRecord } from '#server/db/edit-record.ts';
import { alertOfChannel } from '#server/notify/notifications.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import type { PreparedChannel } from './prepared-channel.ts';
import { statusReason } from './status-reason.ts';
import { autoDisableReason, type RefusalWitness } from './failure-consequences.ts';
import type { UpstreamFailure } from './upstream-error.ts';

type DisableContext = Pick<AppContext, 'db' | 'changes' | 'now' | 'log' | 'settings'>;

/**
 * Reason to disable the channel after this failure under the current settings; null to leave it enabled. `witness`: as
 * for `autoDisableReason`.
 */
export function reasonToDisable(
  context: DisableContext,
  channel: Pick<PreparedChannel, 'isAutoBan' | 'provider'>,
  failure: UpstreamFailure,
  witness: RefusalWitness,
): FailureReason | null {
  if (!channel.isAutoBan || !context.settings.get('AutomaticDisableChannelEnabled')) return null;
  const keywords = context.settings.get('AutomaticDisableKeywords');
  return autoDisableReason(failure, { provider: channel.provider, keywords, ...witness });
}

/**
 * Disables an enabled channel that may be disabled automatically, and notifies every process. Returns false if its
 * state had already changed.
 */
export async function disableChannel(context: DisableContext, channelId: number, reported: FailureReason): Promise<boolean> {
  const reason = storedReason(reported);
  const edited = await editRecord(context, 'channels', {
    id: channelId,
    where: { status: ChannelStatus.enabled, auto_ban: 1 },
    change({ other_info }) {
      const info = { ...parseObject(other_info), ...statusReason(reason), status_time: Math.floor(context.now() / 1000) };
      return { set: { status: ChannelStatus.disabledBySystem, other_info: JSON.stringify(info) } };
    },
  });
  if (edited === null) return false;
  context.log.warn({ channel: channelId, reason }, 'a channel was disabled automatically');
  await alertOfChannel(context, { id: channelId, name: edited.after.name, status: ChannelStatus.disabledBySystem, reason });
  return true;
}
