// Where a provider keeps in its cache only what a request marks, and its caller's format has no word for that: whether we mark it.
import type { ChatRequest } from './parts.ts';
import type { DialectSettings } from './upstream-dialect.ts';
import type { Route } from './route.ts';

/** Whether requests on this way may be marked here. What is written costs more than input, so it is reserved for as written. */
export function marksPrompts(
  { dialect, provider, identity }: Pick<Route, 'dialect' | 'provider' | 'identity'>,
  settings: DialectSettings,
): boolean {
  // Models of another vendor behind the same format cache by themselves.
  if (identity !== null || dialect.preservesMarked !== true || provider.attribution === 'drop') return false;
  return settings.get('PromptCachingEnabled');
}

/** Whether the caller has marked nothing, and the conversation is likely to go on: what is written once is read only then. */
export function isWorthMarking({ tools, messages }: ChatRequest): boolean {
  if (tools.length === 0 && !messages.some(({ role }) => role === 'assistant')) return false;
  const isMarked = (part: object) => 'cache' in part && part.cache !== undefined;
  return !tools.some(isMarked) && !messages.some(({ content }) => content.some(isMarked));
}
