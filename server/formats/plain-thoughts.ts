// Decides whether unencrypted thinking is sent back in Responses. OpenAI, whose models may be behind any URL, searches its
// store for it and rejects the call; other hosts pass it to their models. https://docs.vllm.ai/en/latest/serving/openai_compatible_server
import type { Route } from './route.ts';

export function takesPlainThoughts({ provider, facts }: Pick<Route, 'provider' | 'facts'>): boolean {
  return provider.takesSealedThoughts !== true && facts?.vendor !== 'openai';
}
