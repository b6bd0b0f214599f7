// Finds the channel that trains a model.
import { AppError } from '#shared/errors.ts';
import { ChannelStatus } from '#shared/channels.ts';
import { clientDialects } from '#server/formats/registry.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import { findPrivateModel } from '#server/call/admission/find-model.ts';
import type { RelayServices } from '#server/call/services.ts';
import { offersModel } from '#server/exchange/channel-index.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';

export interface Trainer {
  channel: PreparedChannel;
  /** `base`: name that prices use; `upstreamBase`: the provider's name of the model. */
  base: string;
  upstreamBase: string;
}

/**
 * Prefers the training file's channel, else the one with the highest priority. A fine-tuned model of the caller is
 * trained further on its own channel.
 * @throws {AppError} `model_denied`, `model_not_found`, `no_tuning_channel`, and for a fine-tuned model
 */
export async function findTrainer(services: RelayServices, admission: Admission, model: string, preferred: number): Promise<Trainer> {
  const { channels, gate } = services;
  gate.checkModel(admission, model);
  const own = await findPrivateModel(services, admission, model);
  if (own !== null) {
    if (own.channel.provider?.hosts?.includes('fine_tuning') !== true)
      throw new AppError('no_tuning_channel', { group: admission.group, model });
    return { channel: own.channel, base: own.base, upstreamBase: own.upstreamModel };
  }
  const offered = channelsOf(services, admission, model);
  const isFirst = ({ id }: PreparedChannel) => id === preferred;
  for (const channel of [...offered.filter(isFirst), ...offered.filter((one) => !isFirst(one))]) {
    if (channel.provider?.hosts?.includes('fine_tuning') !== true || channel.problem !== null) continue;
    const route = channel.route(clientDialects['openai-chat'], 'chat', model);
    if (route !== null) return { channel, base: model, upstreamBase: route.upstreamModel };
  }
  const isKnown = offered.length > 0 || [...channels.all()].some((channel) => offersModel(channel, model));
  throw isKnown
    ? new AppError('no_tuning_channel', { group: admission.group, model }, { field: 'model' })
    : new AppError('model_not_found', { model }, { field: 'model' });
}

function channelsOf({ channels }: RelayServices, { group, pinnedChannel }: Admission, model: string): PreparedChannel[] {
  if (pinnedChannel === undefined) return channels.tiers(group, model).flatMap((tier) => tier.channels);
  const pinned = channels.get(pinnedChannel);
  return pinned?.status === ChannelStatus.enabled ? [pinned] : [];
}
