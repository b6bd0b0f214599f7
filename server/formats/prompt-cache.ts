// Prompt caches in OpenAI's formats: derives the key (`prompt_cache_key`) from the conversation if the caller sends none, and
// drops a retention that the model does not support. https://developers.openai.com/api/docs/guides/prompt-caching
import { factsOf } from '#server/model-facts/find-facts.ts';
import type { ModelFacts } from '#server/model-facts/model-facts.ts';
import type { Body } from './body-edit.ts';
import type { EncodeInput } from './encode-input.ts';
import type { Losses } from './losses.ts';
import type { ExtraField } from './request-fields.ts';

export const retentionField = 'prompt_cache_retention';

/** Drops the retention that a caller of another format requests, unless the model is known to support the value. */
export function withoutRefusedRetention(extras: readonly ExtraField[], model: string, losses: Losses): readonly ExtraField[] {
  const taken = factsOf(model)?.cacheRetentions ?? [];
  return extras.filter(({ field, value }) => {
    if (field !== 'cache_retention' || taken.some((one) => one === value)) return true;
    losses.drop('cache_retention');
    return false;
  });
}

/** Reports whether a known model rejects the retention. For unknown models the provider decides. */
export function refusesRetention(facts: ModelFacts | undefined, value: unknown): boolean {
  return facts !== undefined && typeof value === 'string' && !facts.cacheRetentions.includes(value);
}

/** Minimum characters of a prompt that is cached, for 1,024 tokens. https://platform.openai.com/docs/guides/prompt-caching */
const leastCharacters = 4096;

/** Returns a key for the body; undefined if it has one or needs none. */
export function cacheKeyFor(body: Body, input: EncodeInput): string | undefined {
  const { route, settings, conversationKey, rawText, longTexts } = input;
  if (route.provider.takesCacheKey !== true || conversationKey === undefined || input.isCount === true || input.isPassThrough === true)
    return undefined;
  if ((body['prompt_cache_key'] ?? null) !== null || (longTexts === undefined && rawText.length < leastCharacters)) return undefined;
  return settings.get('PromptCachingEnabled') ? conversationKey() : undefined;
}
