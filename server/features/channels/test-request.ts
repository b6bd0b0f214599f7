// Which call shows whether a model of a channel answers.
import { defaultClientDialect } from '#server/dialects/registry.ts';
import type { Capability } from '#server/dialects/provider-traits.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';

/** By the model that is asked, and by what the provider can do at all. */
export function testCapability(channel: Pick<PreparedChannel, 'provider' | 'modelMapping'>, model: string): Capability {
  const does = (capability: Capability) =>
    Object.values(channel.provider?.formats ?? {}).some(({ paths }) => paths[capability] !== undefined);
  if (!does('chat')) return 'embeddings';
  const isEmbedding = /embed|bge-|^m3e/i.test(channel.modelMapping.get(model) ?? model);
  return isEmbedding && does('embeddings') ? 'embeddings' : 'chat';
}

/** @param upstreamModel the name after the channel's mapping: what the limits depend on */
export function testBody(capability: Capability, model: string, upstreamModel: string): Record<string, unknown> {
  const probe = defaultClientDialect.calls[capability]?.probe;
  if (probe === undefined) throw new Error(`There is no small call of the kind ${capability}`);
  return probe(model, upstreamModel);
}
