// How long a provider shall keep a prompt in its cache, in the words of OpenAI's formats: some models take none of it, and some one word alone.
// https://developers.openai.com/api/docs/guides/prompt-caching
import { factsOf } from '#server/model-facts/find-facts.ts';
import type { ModelFacts } from '#server/model-facts/model-facts.ts';
import type { Losses } from './losses.ts';
import type { ExtraField } from './request-fields.ts';

export const retentionField = 'prompt_cache_retention';

/** What callers of other formats say of it goes where the model is known to take it. */
export function withoutRefusedRetention(extras: readonly ExtraField[], model: string, losses: Losses): readonly ExtraField[] {
  const taken = factsOf(model)?.cacheRetentions ?? [];
  return extras.filter(({ field, value }) => {
    if (field !== 'cache_retention' || taken.some((one) => one === value)) return true;
    losses.drop('cache_retention');
    return false;
  });
}

/** Whether the model may be told so. Of one that nothing is known of others know more. */
export function refusesRetention(facts: ModelFacts | undefined, value: unknown): boolean {
  return facts !== undefined && typeof value === 'string' && !facts.cacheRetentions.includes(value);
}
