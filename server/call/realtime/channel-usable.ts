// Whether a session may continue at its channel.
import { ChannelStatus } from '#shared/channels.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';

/** It is still there, in use, and has the key that the session was opened with. */
export function isUsable({ channels }: Pick<RelayServices, 'channels'>, opened: PreparedChannel): boolean {
  const now = channels.get(opened.id);
  return now !== undefined && now.status === ChannelStatus.enabled && now.problem === null && now.key === opened.key;
}
