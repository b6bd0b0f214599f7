// Every model whose vendor's price is known here has it from the start: what the console offers as the vendors' list, and what providers' records offer.
import { expect, test } from 'vitest';
import catalogue from '#pwa/features/settings/catalogue-prices.json' with { type: 'json' };
import defaultModels from '#server/providers/default-models.json' with { type: 'json' };
import { defaultText } from '#server/settings/defaults.ts';
import { priceMapsOf } from '#server/settings/price-maps.ts';
import { findPrice } from '#shared/find-price.ts';
import { pricePerSecond } from '#shared/price-at.ts';

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
  (model, [input, output, cached, written, received, spoken, seen, drawn]) => {
    const price = findPrice(model, maps);
    if (price?.kind !== 'usage' || input == null) throw new Error(`${model} has no price by its usage`);
    const reported = { input, output, cached, written, received, spoken, seen, drawn };
    const factors: Record<keyof typeof reported, number> = {
      input: 1,
      output: price.completionRatio,
      cached: price.cacheRatio,
      written: price.cacheCreationRatio,
      received: price.audioInputRatio,
      spoken: price.audioOutputRatio,
      seen: price.imageInputRatio,
      drawn: price.imageOutputRatio,
    };
    const requested = Object.entries(reported).filter(([, usd]) => usd != null && usd > 0);
    const charged = requested.map(([part]) => [part, ((factors as Record<string, number>)[part] ?? Number.NaN) * price.modelRatio * 2]);
    expect(Object.fromEntries(charged)).toEqual(
      Object.fromEntries(requested.map(([part, usd]) => [part, expect.closeTo(usd as number, 6)])),
    );
  },
);

test('a minute that whisper-1 hears costs $0.006', () => {
  expect(findPrice('whisper-1', maps)).toEqual({ kind: 'call', modelPrice: 0.006 });
});

/** Providers on private machines, or without a price list. */
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

/** What a second costs in 720p and in 1080p. Decision 111 says which of these pages were read, and where the others' numbers are from. */
test.each([
  // Kling's price per second, with sound: https://docs.comfy.org/tutorials/partner-nodes/pricing (211 credits are $1 of the vendor's list)
  ['kling-v3', 0.126, 0.168],
  ['kling-3.0-turbo', 0.112, 0.14],
  ['kling-v2-6', 0.042, 0.14],
  ['kling-v2-5-turbo', 0.042, 0.07],
  // The same page; 540p by the vendor's points, $0.005 each: https://302.ai/product/detail/viduq3-turbo
  ['viduq3-pro', 0.15, 0.16],
  ['viduq3-turbo', 0.06, 0.08],
  ['viduq1', 0.08, 0.08],
  // 0.28, 0.63 and 1 CNY: https://www.volcengine.com/docs/85621/1544716
  ['jimeng_t2v_v30', 0.28 / 7.3, (0.28 / 7.3) * 2.25],
  ['jimeng_t2v_v30_1080p', 0.63 / 7.3, 0.63 / 7.3],
  ['jimeng_ti2v_v30_pro', 1 / 7.3, 1 / 7.3],
  // Tokens of a second (sides × 24 / 1024) at $10.70, 11.70, 5.60 and 3.50 a million: https://docs.byteplus.com/en/docs/ModelArk/1544106
  ['doubao-seedance-2-5-260628', 0.2312, 0.5687],
  ['doubao-seedance-2-0-fast-260128', 0.121, 0.121 * 2.25],
  ['doubao-seedance-2-0-mini-260615', 0.0756, 0.0756 * 2.25],
  // https://www.alibabacloud.com/help/en/model-studio/models
  ['wan2.6-t2v', 0.1, 0.15],
  ['wan2.7-i2v', 0.1, 0.15],
  // https://platform.minimax.io/docs/guides/pricing-paygo
  ['MiniMax-Hailuo-02', 0.056, 0.0817],
])('a second of %s costs %f and %f', (model, usual, large) => {
  const price = findPrice(model, maps);
  if (price?.kind !== 'call' || price.videos === undefined) throw new Error(`${model} has no price by the second`);
  expect(pricePerSecond(price.videos, 720)).toBeCloseTo(usual, 4);
  expect(pricePerSecond(price.videos, 1080)).toBeCloseTo(large, 3);
});

/** Price per transcribed minute, or per thousand spoken characters. */
test.each([
  // https://docs.mistral.ai/inference/model-selection-guide https://vercel.com/ai-gateway/models/voxtral-mini-transcribe-3
  ['voxtral-mini-transcribe-2507', 0.002],
  ['voxtral-mini-2602', 0.003],
  ['voxtral-mini-transcribe-3-0', 0.0035],
  ['voxtral-mini-latest', 0.0035],
  ['voxtral-small-transcribe-3-0', 0.004],
  // https://mistral.ai/news/voxtral-tts https://micdrop.dev/blog/mistral-voice-agent-voxtral-3
  ['voxtral-mini-tts-2603', 0.016],
  ['voxtral-mini-tts-3-0', 0.013],
  ['voxtral-mini-tts-latest', 0.013],
  // 5 CNY for ten thousand: https://www.volcengine.com/docs/6561/1359370
  ['seed-tts-1.0', 0.5 / 7.3],
  ['seed-tts-2.0', 0.5 / 7.3],
])('%s costs %f', (model, usd) => {
  const price = findPrice(model, maps);
  if (price?.kind !== 'call') throw new Error(`${model} has no price by what it takes`);
  expect(price.modelPrice).toBeCloseTo(usd, 6);
});

// 0.5 CNY per million tokens that are read. https://help.aliyun.com/zh/model-studio/qwen3-rerank https://help.aliyun.com/zh/model-studio/qwen3-7-text-rerank
test.each(['qwen3-rerank', 'qwen3.7-text-rerank'])('%s costs $0.0685 per million tokens', (model) => {
  expect(findPrice(model, maps)).toMatchObject({ kind: 'usage', modelRatio: expect.closeTo(0.5 / 7.3 / 2, 6) });
});
