// Models of the status page: those that a channel serves, or would serve if the system had not disabled it.
import { ChannelStatus } from '#shared/channels.ts';
import type { StatusKind } from '#shared/status-page.ts';
import type { AppContext } from '#server/context.ts';
import type { CallKindName } from '#server/kinds/call-kind.ts';
import { kindOfModel } from '#server/exchange/kind-of-model.ts';

export interface ListedModel {
  model: string;
  kind: StatusKind;
  /** Groups that it is served to, or would be. */
  groups: ReadonlySet<string>;
  /** Some enabled channel serves it. */
  isServed: boolean;
}

const kinds: Partial<Record<CallKindName, StatusKind>> = {
  embeddings: 'embedding',
  images: 'image',
  speech: 'audio',
  transcriptions: 'audio',
  realtime: 'audio',
  moderations: 'other',
  rerank: 'other',
};

const listed = new WeakMap<AppContext['channels'], { revision: number; models: ReadonlyMap<string, ListedModel> }>();

/** By name; computed again when a channel has changed. */
export function listedModels({ channels }: Pick<AppContext, 'channels'>): ReadonlyMap<string, ListedModel> {
  const known = listed.get(channels);
  if (known?.revision === channels.revision) return known.models;
  const { revision } = channels;
  const models = listModels(channels);
  listed.set(channels, { revision, models });
  return models;
}

function listModels(channels: AppContext['channels']): ReadonlyMap<string, ListedModel> {
  const models = new Map<string, ListedModel & { groups: Set<string> }>();
  for (const channel of channels.all()) {
    const isServed = channel.status === ChannelStatus.enabled && channel.problem === null;
    if (!isServed && channel.status !== ChannelStatus.disabledBySystem) continue;
    for (const model of channel.models) {
      let known = models.get(model);
      if (known === undefined) {
        const kind = kindOfModel(channel, model);
        known = { model, kind: kind === undefined ? 'chat' : (kinds[kind] ?? 'chat'), groups: new Set(), isServed: false };
        models.set(model, known);
      }
      known.isServed ||= isServed;
      for (const group of channel.groups) known.groups.add(group);
    }
  }
  return models;
}
