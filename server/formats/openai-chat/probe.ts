// Smallest request that tests a model.
import { factsOf } from '#server/model-facts/find-facts.ts';

/** @param upstreamModel determines the limit */
export function probeChat(model: string, upstreamModel: string): Record<string, unknown> {
  return { model, messages: [{ role: 'user', content: 'hi' }], ...tokenLimit(upstreamModel) };
}

function tokenLimit(model: string): Record<string, number> {
  const { vendor, thinking } = factsOf(model) ?? {};
  // Thinking models need some tokens before they respond.
  if (vendor === 'openai' && thinking !== null) return { max_completion_tokens: 10 };
  if (model.includes('thinking')) return vendor === 'anthropic' ? {} : { max_tokens: 50 };
  return { max_tokens: vendor === 'google' ? 300 : 10 };
}
