// Every model whose vendor's price is known here has it from the start: what the console offers as the vendors' list, and what providers' records offer.
import { expect, test } from 'vitest';
import catalogue from '#pwa/features/settings/catalogue-prices.json' with { type: 'json' };
import defaultModels from '#server/upstream/providers/default-models.json' with { type: 'json' };
import { defaultText } from '#server/settings/defaults.ts';
import { priceMapsOf } from '#server/settings/price-maps.ts';
import { findPrice } from '#shared/find-price.ts';

const maps = priceMapsOf({ get: (key) => JSON.parse(defaultText(key)) });

/** Numbers of the specification, which its vendor has changed since. */
const specified: ReadonlySet<string> = new Set([
  'deepseek-chat',
  'deepseek-reasoner',
  'claude-3-haiku-20240307',
  'gpt-4o-audio-preview',
  'gpt-4o-realtime-preview',
]);
/** By the minute. https://developers.openai.com/api/docs/models/whisper-1 */
const byTheMinute: ReadonlySet<string> = new Set(['whisper-1']);

type Prices = (number | null | undefined)[];

test.each(Object.entries(catalogue as Record<string, Prices>).filter(([model]) => !specified.has(model) && !byTheMinute.has(model)))(
  '%s costs from the start what its vendor asks',
  (model, [input, output, cached, written, heard, spoken, seen, drawn]) => {
    const price = findPrice(model, maps);
    if (price?.kind !== 'usage' || input == null) throw new Error(`${model} has no price by its usage`);
    const told = { input, output, cached, written, heard, spoken, seen, drawn };
    const factors: Record<keyof typeof told, number> = {
      input: 1,
      output: price.completionRatio,
      cached: price.cacheRatio,
      written: price.cacheCreationRatio,
      heard: price.audioInputRatio,
      spoken: price.audioOutputRatio,
      seen: price.imageInputRatio,
      drawn: price.imageOutputRatio,
    };
    const asked = Object.entries(told).filter(([, usd]) => usd != null && usd > 0);
    const charged = asked.map(([part]) => [part, ((factors as Record<string, number>)[part] ?? Number.NaN) * price.modelRatio * 2]);
    expect(Object.fromEntries(charged)).toEqual(Object.fromEntries(asked.map(([part, usd]) => [part, expect.closeTo(usd as number, 6)])));
  },
);

test('a minute that whisper-1 hears costs $0.006', () => {
  expect(findPrice('whisper-1', maps)).toEqual({ kind: 'call', modelPrice: 0.006 });
});

/** OpenAI, Azure, Anthropic, Google, DeepSeek, Perplexity. */
test.each(['1', '14', '24', '27', '41', '43'])('every model that the record of type %s offers has a price', (type) => {
  const offered = (defaultModels as Record<string, string[]>)[type] ?? [];
  expect(offered.filter((model) => findPrice(model, maps) === null)).toEqual([]);
});
