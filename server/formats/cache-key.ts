// Prompt cache key (`prompt_cache_key`) derived from the conversation if the caller sends none.
import type { EncodeInput } from './encode-input.ts';

type Body = Readonly<Record<string, unknown>>;

/** Shorter prompts are not cached: 1,024 tokens. https://platform.openai.com/docs/guides/prompt-caching */
const leastCharacters = 4096;

/** Returns undefined if the body has a key or needs none. */
export function cacheKeyFor(body: Body, input: EncodeInput): string | undefined {
  const { route, settings, conversationKey, rawText, longTexts } = input;
  if (route.provider.takesCacheKey !== true || conversationKey === undefined || input.isCount === true || input.isPassThrough === true)
    return undefined;
  if ((body['prompt_cache_key'] ?? null) !== null || (longTexts === undefined && rawText.length < leastCharacters)) return undefined;
  return settings.get('PromptCachingEnabled') ? conversationKey() : undefined;
}
