// Disables one key of a channel whose upstream refuses it. Without an enabled key left, the channel is disabled.
import { ChannelStatus } from '#shared/channels.ts';
import { mostChannelKeys } from '#shared/channel-keys.ts';
import { reasonText } from '#shared/errors.ts';
import { type FailureReason, storedReason } from '#shared/failure-reasons.ts';
import type { AppContext } from '#server/context.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { alertOfKey } from '#server/notify/notifications.ts';
import { disableChannel } from '#server/exchange/auto-disable.ts';
import { enableChannel } from '#server/exchange/auto-enable.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';

type KeyContext = Pick<AppContext, 'db' | 'changes' | 'now' | 'log' | 'settings'>;

/** Disables what the upstream has refused: the key, if the channel has several, else the channel. */
export async function disableRefused(
  context: KeyContext,
  channel: Pick<PreparedChannel, 'id' | 'keyId' | 'record'>,
  { reason, failure }: { reason: FailureReason; failure: Pick<UpstreamFailure, 'upstreamStatus' | 'code' | 'type'> | null },
): Promise<boolean> {
  if (channel.keyId === 0) return disableChannel(context, channel.id, reason);
  const { db, changes, log, now } = context;
  const set = {
    status: ChannelStatus.disabledBySystem,
    status_time: Math.floor(now() / 1000),
    status_by: '',
    reason: storedReason(reason),
    reason_status: failure?.upstreamStatus ?? 0,
    no_balance: failure !== null && isWithoutBalance(failure),
    cooldowns: [],
  };
  // A refusal of a key that was replaced meanwhile says nothing about the new one.
  const isSame = { id: channel.keyId, key_hash: channel.record.key_hash, status: ChannelStatus.enabled };
  const disabled = await db.collection('channel_keys').patch(isSame, { set, increment: { revision: 1 } });
  if (disabled === null) return false;
  log.warn({ channel: channel.id, key: channel.keyId, reason: set.reason }, 'a key of a channel was disabled automatically');
  await changes.announce('channel', channel.id);
  const remaining = await enabledKeys(context, channel.id);
  if (remaining > 0) {
    await alertOfKey(context, { id: channel.keyId, ending: disabled.ending, remaining, why: set.reason }, channel.record);
  } else {
    const facts = { message: { zh: reasonText(set.reason, 'zh'), en: reasonText(set.reason, 'en') } };
    await disableChannel(context, channel.id, { code: 'channel_keys_refused', facts });
  }
  return true;
}

/** Enables a channel that was disabled because none of its keys was left, if one is enabled now. */
export async function enableWithKeys(context: KeyContext, channelId: number): Promise<void> {
  const channel = await context.db.collection('channels').get(channelId);
  if (channel?.status !== ChannelStatus.disabledBySystem) return;
  const fact = parseObject(channel.other_info)?.['status_fact'];
  if (!isObject(fact) || fact['code'] !== 'channel_keys_refused') return;
  if ((await enabledKeys(context, channelId)) > 0) await enableChannel(context, channelId);
}

function enabledKeys({ db }: Pick<KeyContext, 'db'>, channelId: number): Promise<number> {
  return db.collection('channel_keys').count({ channel_id: channelId, status: ChannelStatus.enabled }, mostChannelKeys);
}

/** Codes and types of accounts without a balance; others with status 402 are as well. */
const balanceNames: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'insufficient_user_quota',
  'billing_not_active',
  'billing_error',
  'Arrearage',
]);

function isWithoutBalance({ upstreamStatus, code, type }: Pick<UpstreamFailure, 'upstreamStatus' | 'code' | 'type'>): boolean {
  return upstreamStatus === 402 || balanceNames.has(String(code)) || balanceNames.has(type);
}
