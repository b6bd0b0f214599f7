// The smallest request that shows whether a model answers.
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';
import type { Capability } from '#server/upstream/providers/spec.ts';

/** By the model that is asked, and by what the provider can do at all. */
export function testCapability(channel: Pick<PreparedChannel, 'provider' | 'modelMapping'>, model: string): Capability {
  const paths = channel.provider?.paths;
  if (paths?.chat === undefined) return 'embeddings';
  const isEmbedding = /embed|bge-|^m3e/i.test(channel.modelMapping.get(model) ?? model);
  return isEmbedding && paths.embeddings !== undefined ? 'embeddings' : 'chat';
}

/** @param upstreamModel the name after the channel's mapping: what the limits depend on */
export function testBody(capability: Capability, model: string, upstreamModel: string): Record<string, unknown> {
  if (capability === 'embeddings') return { model, input: ['hello world'] };
  return { model, messages: [{ role: 'user', content: 'hi' }], ...tokenLimit(upstreamModel) };
}

function tokenLimit(model: string): Record<string, number> {
  // Models that think first need some room, or answer nothing at all.
  if (/^(o\d|gpt-5)/.test(model)) return { max_completion_tokens: 10 };
  if (model.includes('thinking')) return model.includes('claude') ? {} : { max_tokens: 50 };
  return { max_tokens: model.includes('gemini') ? 300 : 10 };
}
