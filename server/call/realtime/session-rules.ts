// Checks whether a session may continue at its channel.
import { ChannelStatus } from '#shared/channels.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';

/** It is still there, in use, and has the key that the session was opened with. */
export function isUsable({ channels }: Pick<RelayServices, 'channels'>, opened: PreparedChannel): boolean {
  const now = channels.get(opened.id);
  return now !== undefined && now.status === ChannelStatus.enabled && now.problem === null && now.key === opened.key;
}

/** Reason of a close, cut to its maximum length. https://www.rfc-editor.org/rfc/rfc6455#section-5.5 */
export function shortened(reason: string): string {
  return Buffer.from(reason).subarray(0, 100).toString('utf8').replaceAll('\uFFFD', '');
}
