// Checks whether a session may continue on its channel.
import { ChannelStatus } from '#shared/channels.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';

/** Reports whether the channel exists, is enabled, and has the key with which the session was opened. */
export function isUsable({ channels }: Pick<RelayServices, 'channels'>, opened: PreparedChannel): boolean {
  const now = channels.get(opened.id);
  if (now === undefined || now.status !== ChannelStatus.enabled || now.problem !== null) return false;
  if (now.keys === undefined) return now.key === opened.key;
  return now.keys.enabled.some(({ channel }) => channel.key === opened.key);
}
