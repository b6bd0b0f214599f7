// Decides where the gateway adds cache marks: for providers that cache only marked prompts, and client formats without marks.
import type { ChatRequest } from './parts.ts';
import type { DialectSettings } from './upstream-dialect.ts';
import type { Route } from './route.ts';

/** Reports whether the gateway may add marks on this route. If so, the higher price of cache writes is reserved. */
export function marksPrompts(
  { dialect, provider, identity }: Pick<Route, 'dialect' | 'provider' | 'identity'>,
  settings: DialectSettings,
): boolean {
  // Other vendors' models behind the same format cache automatically.
  if (identity !== null || dialect.preservesMarked !== true || provider.attribution === 'drop') return false;
  return settings.get('PromptCachingEnabled');
}

/** Reports whether the caller set no marks and the conversation is likely to continue: a cache write pays off when it is read. */
export function isWorthMarking({ tools, messages }: ChatRequest): boolean {
  if (tools.length === 0 && !messages.some(({ role }) => role === 'assistant')) return false;
  const isMarked = (part: object) => 'cache' in part && part.cache !== undefined;
  return !tools.some(isMarked) && !messages.some(({ content }) => content.some(isMarked));
}
