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

/** Those that run on somebody's own machine, or have no list. */
const unlisted: ReadonlySet<string> = new Set(['44', '47']);
/** Served without a price that its provider lists. */
const unpriced: ReadonlySet<string> = new Set(['FunAudioLLM/SenseVoiceSmall', 'BAAI/bge-m3', 'BAAI/bge-reranker-v2-m3']);

test.each(Object.entries(defaultModels as Record<string, string[]>).filter(([type]) => !unlisted.has(type)))(
  'every model that the record of type %s offers has a price',
  (_type, offered) => {
    expect(offered.filter((model) => !unpriced.has(model) && findPrice(model, maps) === null)).toEqual([]);
  },
);

/** USD per million tokens of input and output. */
test.each([
  // https://mistral.ai/pricing
  ['mistral-medium-latest', 1.5, 7.5],
  ['mistral-small-latest', 0.15, 0.6],
  ['mistral-large-latest', 0.5, 1.5],
  // https://developers.cloudflare.com/workers-ai/platform/pricing/
  ['@cf/openai/gpt-oss-120b', 0.35, 0.75],
  // 2 and 8 CNY: https://help.aliyun.com/zh/model-studio/models
  ['qwen3.7-plus', 2 / 7.3, 8 / 7.3],
])('%s costs %f and %f', (model, input, output) => {
  const price = findPrice(model, maps);
  if (price?.kind !== 'usage') throw new Error(`${model} has no price by its usage`);
  expect(price.modelRatio * 2).toBeCloseTo(input, 4);
  expect(price.modelRatio * 2 * price.completionRatio).toBeCloseTo(output, 4);
});
