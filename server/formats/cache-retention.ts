// Prompt cache retention in OpenAI's formats: some models support none, some a single value.
// https://developers.openai.com/api/docs/guides/prompt-caching
import { factsOf } from '#server/model-facts/find-facts.ts';
import type { ModelFacts } from '#server/model-facts/model-facts.ts';
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

/** Returns whether a known model rejects the retention. Unknown models are left to the provider. */
export function refusesRetention(facts: ModelFacts | undefined, value: unknown): boolean {
  return facts !== undefined && typeof value === 'string' && !facts.cacheRetentions.includes(value);
}
