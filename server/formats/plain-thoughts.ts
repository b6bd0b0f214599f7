// Thoughts that nobody has encrypted. OpenAI looks for those in its own store, where nothing is kept, and refuses the call; its models may be
// behind anybody's address. Other hosts of Responses give them to their models. https://docs.vllm.ai/en/latest/serving/openai_compatible_server
import type { Route } from './route.ts';

export function takesPlainThoughts({ provider, facts }: Pick<Route, 'provider' | 'facts'>): boolean {
  return provider.takesSealedThoughts !== true && facts?.vendor !== 'openai';
}
