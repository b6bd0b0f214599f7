// Finds the model of a call, and checks that a channel can take the call.
import { AppError } from '#shared/errors.ts';
import { ChannelStatus } from '#shared/channels.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import type { RelayEndpoint } from '#server/call/endpoints.ts';
import { supportsCall } from '#server/call/routing/supports-call.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { PrivateModel } from '#server/call/stages.ts';
import { offersModel } from '#server/exchange/channel-index.ts';
import type { Tier } from '#server/exchange/served-models.ts';

interface CallToServe {
  endpoint: RelayEndpoint;
  model: string;
}

type Services = Pick<RelayServices, 'channels' | 'stages'>;

/**
 * Returns the caller's private model, or null for a model that channels serve.
 * @throws {AppError} `model_not_found`, `no_channel`, `format_unsupported`, `channel_pin_invalid`, `channel_disabled`; errors of
 * the stage
 */
export function findModel(services: Services, admission: Admission, call: CallToServe): PrivateModel | null | Promise<PrivateModel | null> {
  const tiers = services.channels.tiers(admission.group, call.model);
  if (tiers.length === 0) return findUnserved(services, admission, call);
  checkChannels(services, admission, { ...call, tiers });
  return null;
}

/**
 * Returns the private model of that name; null if channels serve the name, or the caller has none.
 * @throws {AppError} errors of the stage
 */
export async function findPrivateModel({ channels, stages }: Services, admission: Admission, model: string): Promise<PrivateModel | null> {
  return channels.tiers(admission.group, model).length > 0 ? null : stages.findModel(admission, model);
}

async function findUnserved(services: Services, admission: Admission, call: CallToServe): Promise<PrivateModel | null> {
  const found = await services.stages.findModel(admission, call.model);
  if (found === null) checkChannels(services, admission, { ...call, tiers: [] });
  else if (!supportsCall(found.channel, call.endpoint, call.model)) throw new AppError('format_unsupported', {}, { field: 'model' });
  return found;
}

/** Reports an unknown model and a known one that no channel serves now with different errors. */
function checkChannels(
  { channels }: Services,
  { group, pinnedChannel }: Admission,
  { endpoint, model, tiers }: CallToServe & { tiers: readonly Tier[] },
): void {
  if (pinnedChannel !== undefined) {
    const pinned = channels.get(pinnedChannel);
    if (pinned === undefined) throw new AppError('channel_pin_invalid');
    if (pinned.status !== ChannelStatus.enabled || pinned.problem !== null) throw new AppError('channel_disabled');
    if (!supportsCall(pinned, endpoint, model)) throw new AppError('format_unsupported', {}, { field: 'model' });
    return;
  }
  for (const { channels: members } of tiers) for (const channel of members) if (supportsCall(channel, endpoint, model)) return;
  if (tiers.length > 0) throw new AppError('format_unsupported', {}, { field: 'model' });
  for (const channel of channels.all()) {
    if (offersModel(channel, model)) throw new AppError('no_channel', { group, model }, { retryAfter: 5 });
  }
  throw new AppError('model_not_found', { model }, { field: 'model' });
}
