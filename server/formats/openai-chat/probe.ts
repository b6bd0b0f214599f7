// The smallest request that shows whether a model answers.
import { factsOf } from '#server/model-facts/find-facts.ts';

/** @param upstreamModel what the limit depends on */
export function probeChat(model: string, upstreamModel: string): Record<string, unknown> {
  return { model, messages: [{ role: 'user', content: 'hi' }], ...tokenLimit(upstreamModel) };
}

function tokenLimit(model: string): Record<string, number> {
  const { vendor, thinking } = factsOf(model) ?? {};
  // Models that think first need some room, or answer nothing at all.
  if (vendor === 'openai' && thinking !== null) return { max_completion_tokens: 10 };
  if (model.includes('thinking')) return vendor === 'anthropic' ? {} : { max_tokens: 50 };
  return { max_tokens: vendor === 'google' ? 300 : 10 };
}
