// Bounds labels: models and channels that exist. Names that callers make up, such as those of private models, are `other`.
import type { ChannelIndex } from '#server/exchange/channel-index.ts';
import { providerNameOf } from '#server/telemetry/names.ts';
import { other, type Registry } from '#server/telemetry/registry.ts';

export interface KnownNames {
  /** Changes when caches of labels are out of date. Reading it removes series of deleted models and channels. */
  current(): number;
  model(name: string): string;
  channel(id: number): string;
  providerOf(channelId: number): string;
}

/** For work without a channel. */
export const none = 'none';

export function createKnownNames(channels: Pick<ChannelIndex, 'all' | 'get' | 'revision'>, registry: Registry): KnownNames {
  let models = new Set<string>();
  let revision = -1;
  function renew(): void {
    revision = channels.revision;
    models = new Set();
    for (const channel of channels.all()) for (const model of channel.models) models.add(model);
    registry.retain('gen_ai.request.model', (model) => models.has(model));
    registry.retain('tidegate.channel.id', (id) => id === none || channels.get(Number(id)) !== undefined);
  }
  return {
    current() {
      if (revision !== channels.revision) renew();
      return revision;
    },
    model: (name) => (models.has(name) ? name : other),
    channel: (id) => (id === 0 ? none : channels.get(id) === undefined ? other : String(id)),
    providerOf: (id) => providerNameOf(channels.get(id)?.provider?.name),
  };
}
