// Unencrypted thinking in Responses. OpenAI looks it up in its store, does not find it and rejects the call; its models may be behind any
// address. Other hosts of Responses pass it to their models. https://docs.vllm.ai/en/latest/serving/openai_compatible_server
import type { Route } from './route.ts';

export function takesPlainThoughts({ provider, facts }: Pick<Route, 'provider' | 'facts'>): boolean {
  return provider.takesSealedThoughts !== true && facts?.vendor !== 'openai';
}
