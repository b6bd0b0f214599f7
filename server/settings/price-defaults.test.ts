// Vendors' prices for long prompts and other service tiers, as defaults. List prices of November 2026.
import { expect, test } from 'vitest';
import { batchPrice } from '#shared/batch-price.ts';
import { findPrice, trainedPrice } from '#shared/find-price.ts';
import { longInputsOf } from '#shared/long-inputs.ts';
import { tierFactorsOf } from '#shared/service-tiers.ts';
import { toolPricesOf } from '#shared/tool-prices.ts';
import { defaultText } from './defaults.ts';
import longInputPrice from './data/long-input-price.json' with { type: 'json' };
import { tuningPriceOf } from '#shared/tuning-prices.ts';
import fineTuningPrice from './data/fine-tuning-price.json' with { type: 'json' };
import tierPrice from './data/tier-price.json' with { type: 'json' };
import { priceMapsOf } from './price-maps.ts';

// https://ai.google.dev/gemini-api/docs/pricing https://platform.claude.com/docs/en/about-claude/pricing https://developers.openai.com/api/docs/pricing
test.each([
  ['gemini-2.5-pro', 200_000],
  ['gemini-2.5-computer-use-preview-10-2025', 200_000],
  ['gemini-pro-latest', 200_000],
  ['gemini-3.1-pro-preview', 200_000],
  ['claude-sonnet-4-20250514', 200_000],
  ['claude-4-sonnet-20250514', 200_000],
  ['claude-sonnet-4-5', 200_000],
  ['gpt-5.4', 272_000],
  ['gpt-5.5', 272_000],
  ['gpt-5.6-terra', 272_000],
  ['gpt-6.2-sol', 272_000],
])('%s costs more above %i tokens', (model, above) => {
  expect(longInputsOf(model, longInputPrice)).toEqual([{ above, input: 2, output: 1.5 }]);
});

// https://docs.x.ai/developers/pricing https://platform.minimax.io/docs/guides/pricing-paygo
test.each([
  ['grok-4.5', 200_000],
  ['grok-4.3', 200_000],
  ['MiniMax-M3', 512_000],
])('%s costs twice as much above %i tokens', (model, above) => {
  expect(longInputsOf(model, longInputPrice)).toEqual([{ above, input: 2, output: 2 }]);
});

// https://platform.claude.com/docs/en/about-claude/pricing https://docs.x.ai/developers/models/grok-4.7
test.each([
  ['claude-haiku-5-5', { above: 100_000, input: 5, output: 5 }],
  ['grok-4.7', { above: 200_000, input: 2, output: 2 }],
  ['qwen3.6-plus', { above: 256_000, input: 4, output: 2 }],
])('%s has bounds and factors of its own', (model, long) => {
  expect(longInputsOf(model, longInputPrice)).toEqual([long]);
});

test.each(['gemini-2.5-flash', 'claude-sonnet-4-6', 'claude-opus-4-7', 'gpt-5.2', 'gpt-4.1'])(
  '%s costs the same at any length',
  (model) => {
    expect(longInputsOf(model, longInputPrice)).toEqual([]);
  },
);

// https://openai.com/api-fast-mode/
test.each([
  ['gpt-5', 2],
  ['gpt-5-mini', 1.8],
  ['gpt-5.1-codex-mini', 1.8],
  ['gpt-5.4-mini', 2],
  ['gpt-5.5', 2.5],
  ['gpt-4.1', 1.75],
  ['gpt-6.2-astra', 2],
  ['gemini-4-neon', 1.8],
])('%s costs %f times as much when it is fast', (model, factor) => {
  expect(tierFactorsOf(model, tierPrice).get('priority')?.factor).toBe(factor);
});

// The price list has no such row for the newest model. https://developers.openai.com/api/docs/models/gpt-6.2-sol
test.each([
  ['gpt-6-luna', 0.5],
  ['gpt-6.1-terra', 0.5],
  ['gpt-6.2-sol', undefined],
])('%s costs %f of its price when it is slow', (model, factor) => {
  expect(tierFactorsOf(model, tierPrice).get('flex')?.factor).toBe(factor);
});

const maps = priceMapsOf({ get: (key) => JSON.parse(defaultText(key)) });

// USD per million tokens: https://developers.openai.com/api/docs/models/gpt-realtime-2 (and the pages of the others),
// https://ai.google.dev/gemini-api/docs/pricing, https://docs.x.ai/developers/pricing, https://platform.kimi.ai/docs/pricing/chat-k3,
// https://platform.minimax.io/docs/guides/pricing-paygo
test.each([
  ['grok-4.5', { text: [2, 0.3, 6] }],
  ['grok-4.3', { text: [1.25, 0.2, 2.5] }],
  ['kimi-k3', { text: [3, 0.3, 15] }],
  ['MiniMax-M3', { text: [0.3, 0.06, 1.2] }],
  ['MiniMax-M2.7', { text: [0.3, 0.06, 1.2] }],
  ['MiniMax-M2.7-highspeed', { text: [0.6, 0.06, 2.4] }],
  ['gpt-realtime', { text: [4, 0.4, 16], audio: [32, 0.4, 64], image: [5, 0.5] }],
  ['gpt-realtime-1.5', { text: [4, 0.4, 16], audio: [32, 0.4, 64], image: [5, 0.5] }],
  ['gpt-realtime-2', { text: [4, 0.4, 24], audio: [32, 0.4, 64], image: [5, 0.5] }],
  ['gpt-realtime-2.1', { text: [4, 0.4, 24], audio: [32, 0.4, 64], image: [5, 0.5] }],
  ['gpt-realtime-2.1-mini', { text: [0.6, 0.06, 2.4], audio: [10, 0.3, 20], image: [0.8, 0.08] }],
  ['gpt-realtime-mini', { text: [0.6, 0.06, 2.4], audio: [10, 0.3, 20], image: [0.8, 0.08] }],
  ['gpt-image-1', { text: [5, 1.25], image: [10, 2.5, 40] }],
  ['gpt-image-1-mini', { text: [2, 0.2], image: [2.5, 0.25, 8] }],
  ['gpt-image-1.5', { text: [5, 1.25, 10], image: [8, 2, 32] }],
  ['gpt-image-2', { text: [5, 1.25, 10], image: [8, 2, 30] }],
  ['gpt-image-2.6-sunburst', { text: [5, 1.25], image: [8, 2, 30] }],
  ['gemini-2.5-flash-image', { text: [0.3, 0.03, 2.5], image: [0.3, 0.03, 30] }],
  ['gemini-3-pro-image', { text: [2, undefined, 12], image: [2, undefined, 120] }],
  ['gemini-3.1-flash-image', { text: [0.5, undefined, 3], image: [0.5, undefined, 60] }],
])('what %s reads, reads from the cache and writes', (model, listed: Record<string, (number | undefined)[]>) => {
  const price = findPrice(model, maps);
  if (price?.kind !== 'usage') throw new Error(`${model} has no price by its usage`);
  const { cacheRatio, audioCacheRatio = cacheRatio, imageCacheRatio = cacheRatio } = price;
  const factors: Record<string, number[]> = {
    text: [1, cacheRatio, price.completionRatio],
    audio: [price.audioInputRatio, audioCacheRatio, price.audioOutputRatio],
    image: [price.imageInputRatio, imageCacheRatio, price.imageOutputRatio],
  };
  const perMillion = (factor: number) => Number((factor * price.modelRatio * 2).toFixed(6));
  const requested = Object.entries(listed).map(([media, prices]) => [
    media,
    prices.map((usd, index) => (usd === undefined ? undefined : perMillion(factors[media]?.[index] ?? 0))),
  ]);
  expect(Object.fromEntries(requested)).toEqual(listed);
});

// USD per picture. https://ai.google.dev/gemini-api/docs/pricing
test.each([
  ['imagen-4.0-generate-001', 0.04],
  ['imagen-4.0-fast-generate-001', 0.02],
  ['imagen-4.0-ultra-generate-001', 0.06],
  ['dall-e-3', 0.04],
  // For 1,000 searches $2.50 and $2. https://cohere.com/pricing
  ['rerank-v4.0-pro', 0.0025],
  ['rerank-v4.0-fast', 0.002],
])('%s costs %f a picture', (model, modelPrice) => {
  expect(findPrice(model, maps)).toEqual({ kind: 'call', modelPrice });
});

// USD per 1,000 runs: https://docs.x.ai/developers/pricing, https://docs.perplexity.ai/docs/agent-api/tools/web-search,
// https://platform.claude.com/docs/en/about-claude/pricing
test.each([
  ['grok-4', { web_search: 5, code_execution: 5, file_search: 2.5 }],
  ['sonar', { web_search: 2.5 }],
  ['sonar-deep-research', { web_search: 2.5 }],
  ['perplexity/sonar', { web_search: 2.5, web_fetch: 0.5 }],
  ['claude-opus-4-7', { web_search: 10, web_fetch: 0 }],
  ['gpt-5.5', { web_search: 10, file_search: 2.5 }],
  ['gpt-4o', { web_search: 10, web_search_preview: 25 }],
  ['gpt-4.1-mini', { web_search: 10, web_search_preview: 25 }],
  ['gpt-4o-search-preview', { web_search_preview: 25 }],
  ['kimi-k3', { web_search: 5 }],
  ['gemini-2.5-pro', { web_search: 35, maps: 25 }],
  ['gemini-3.1-pro-preview', { web_search: 14 }],
])('tools that the provider runs for %s', (model, prices) => {
  expect(toolPricesOf(model, JSON.parse(defaultText('ToolPrice')))).toMatchObject(prices);
});

// $7 for a million tokens, of which a second has width × height × 24 ÷ 1,024. https://docs.byteplus.com/en/docs/ModelArk/1544106
test('a second of Seedance 2.0, by its resolution', () => {
  const heights = findPrice('doubao-seedance-2-0-260128', maps);
  expect(heights).toMatchObject({
    kind: 'call',
    videos: [
      { height: 480, price: 0.0704 },
      { height: 720, price: 0.1512 },
      { height: 1080, price: 0.378 },
    ],
  });
});

// Fine-tuned models: https://developers.openai.com/api/docs/pricing#fine-tuning, USD per million output tokens, in
// batches. None is charged less.
test.each([
  ['gpt-4.1-2025-04-14', 6],
  ['gpt-4.1-mini-2025-04-14', 1.6],
  ['gpt-4.1-nano-2025-04-14', 0.4],
  ['gpt-4o-2024-08-06', 12.5],
  ['gpt-4o-mini-2024-07-18', 0.6],
  ['gpt-3.5-turbo', 3],
  ['davinci-002', 6],
  ['babbage-002', 0.9],
])('%s, once trained, is no cheaper in batches than there', (base, output) => {
  const reported = tuningPriceOf(base, fineTuningPrice);
  const price = reported === null ? null : batchPrice(trainedPrice(base, reported, maps));
  const charged = price?.kind === 'usage' ? price.modelRatio * price.completionRatio * 2 : 0;
  expect(charged).toBeGreaterThanOrEqual(output - 1e-9);
  expect(charged).toBeLessThan(output * 1.001);
});
