// The name by which a provider finds the cache of a conversation again, where its caller gives none.
import type { EncodeInput } from './encode-input.ts';

type Body = Readonly<Record<string, unknown>>;

/** Shorter prompts are not kept: 1,024 tokens. https://platform.openai.com/docs/guides/prompt-caching */
const leastCharacters = 4096;

/** Undefined: it has one, or needs none. */
export function cacheKeyFor(body: Body, input: EncodeInput): string | undefined {
  const { route, settings, conversationKey, rawText, longTexts } = input;
  if (route.provider.takesCacheKey !== true || conversationKey === undefined || input.isCount === true || input.isPassThrough === true)
    return undefined;
  if ((body['prompt_cache_key'] ?? null) !== null || (longTexts === undefined && rawText.length < leastCharacters)) return undefined;
  return settings.get('PromptCachingEnabled') ? conversationKey() : undefined;
}
