// The smallest request that shows whether a model answers.

/** @param upstreamModel what the limit depends on */
export function probeChat(model: string, upstreamModel: string): Record<string, unknown> {
  return { model, messages: [{ role: 'user', content: 'hi' }], ...tokenLimit(upstreamModel) };
}

function tokenLimit(model: string): Record<string, number> {
  // Models that think first need some room, or answer nothing at all.
  if (/^(o\d|gpt-5)/.test(model)) return { max_completion_tokens: 10 };
  if (model.includes('thinking')) return model.includes('claude') ? {} : { max_tokens: 50 };
  return { max_tokens: model.includes('gemini') ? 300 : 10 };
}
