// Checks that a call can use the only channel that has an object of its body.
import { AppError } from '#shared/errors.ts';
import type { AdmittedCall } from '#server/call/admission/admit-call.ts';
import { supportsCall } from '#server/call/routing/supports-call.ts';
import { type ChannelIndex, offersModel } from '#server/exchange/channel-index.ts';

interface ObjectAtChannel {
  /** Id of the channel. */
  channel: number;
  /** The caller's id of the object. */
  id: string;
  field: string;
}

/**
 * Refuses an object whose channel the call cannot use. A disabled channel is accepted, because it may be enabled later.
 * @throws {AppError} `named_file_out_of_reach`
 */
export function checkReach(
  channels: ChannelIndex,
  { admission, endpoint, requested: { model }, privateModel }: AdmittedCall,
  { channel: channelId, id, field }: ObjectAtChannel,
): void {
  const channel = channels.get(channelId);
  if (channel === undefined) return;
  const only = privateModel?.channel.id ?? admission.pinnedChannel;
  const isServed = only === undefined ? offersModel(channel, model) && channel.groups.includes(admission.group) : only === channel.id;
  if (!isServed || !supportsCall(channel, endpoint, model)) throw new AppError('named_file_out_of_reach', { id, model }, { field });
}
