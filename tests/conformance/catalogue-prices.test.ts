// Compares every price of the facts about models with what calls of those models cost from the start, to the last quota.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sessionMinutes } from '#server/kinds/realtime/realtime-client.ts';
import { ModelFile, type ModelRecord } from '#server/model-facts/model-record.ts';
import { defaultText } from '#server/settings/defaults.ts';
import { priceMapsOf } from '#server/settings/price-maps.ts';
import { ceiling, decimalOf, multiply } from '#shared/decimal.ts';
import { batchPrice } from '#shared/batch-price.ts';
import { findPrice } from '#shared/find-price.ts';
import { pricePerSecond } from '#shared/price-at.ts';
import { type PricedUsage, quotaOf, type UsagePrice } from '#shared/pricing.ts';
import { toolPricesOf } from '#shared/tool-prices.ts';

const file = new URL('../../server/model-facts/data/model-facts.json', import.meta.url);
const { models } = ModelFile.parse(JSON.parse(readFileSync(file, 'utf8')));
const maps = priceMapsOf({ get: (key) => JSON.parse(defaultText(key)) });
const toolPrices = JSON.parse(defaultText('ToolPrice'));

/** Models whose default is another one than the catalogue's, with the reason. */
const otherDefaults: Readonly<Record<string, readonly RegExp[]>> = {
  'older clients expect their ratios (specification)': [
    /^claude-3-(?:haiku|opus)-/,
    /^deepseek-(?:chat|coder|reasoner)$/,
    /^gemini-2\.0-flash$/,
    /^gpt-4-(?:0125|1106)-preview$/,
    /^gpt-4o-(?:audio|realtime)-preview$/,
    /^qwen-(?:plus|turbo)$/,
    /^command-nightly$/,
    /^text-embedding-004$/,
  ],
  'Perplexity bills them as its Agent API does (decision 120)': [/^sonar(?:-pro|-reasoning|-reasoning-pro|-deep-research)?$/],
  'their vendor bills sound apart from text (decision 111)': [/^gpt-4o(?:-mini)?-(?:transcribe|tts)/],
  'their vendor has prices by resolution, or newer ones (decision 111)': [/^wan2\.7-/, /^voxtral-mini(?:-tts)?-latest$/],
};
/** Models that the catalogue has a price of and that have no default, with the reason (decision 111). */
const withoutDefault: Readonly<Record<string, readonly RegExp[]>> = {
  'their vendor billed characters of chats, and has switched them off': [/^medlm-/],
  'input was free and calls had a price beside their output; their vendor has switched them off': [/-online$/],
  'zero stands for no price at all': [/^command-a-plus-05-2026$/, /^deepseek-v3-2-251201$/],
};
const unpriced = Object.values(withoutDefault).flat();

const isOther = (model: string) =>
  Object.values(otherDefaults)
    .flat()
    .some((one) => one.test(model));
const named = Object.entries(models).filter(([model]) => !isOther(model) && !unpriced.some((one) => one.test(model)));

/** Kinds of tokens as the catalogue calls them, and calls that consist of them. */
const kinds: Readonly<Record<string, (count: number) => PricedUsage>> = {
  input: (count) => ({ promptTokens: count, completionTokens: 0 }),
  output: (count) => ({ promptTokens: 0, completionTokens: count }),
  cacheRead: (count) => ({ promptTokens: count, completionTokens: 0, cachedTokens: count }),
  cacheWrite5m: (count) => ({ promptTokens: count, completionTokens: 0, cacheCreationTokens: count }),
  cacheWrite1h: (count) => ({ promptTokens: count, completionTokens: 0, cacheCreation1hTokens: count }),
  // Whatever is stored for longer than usual is one class.
  cacheWrite12h: (count) => ({ promptTokens: count, completionTokens: 0, cacheCreation1hTokens: count }),
  audioInput: (count) => ({ promptTokens: count, completionTokens: 0, audioInputTokens: count }),
  audioOutput: (count) => ({ promptTokens: 0, completionTokens: count, audioOutputTokens: count }),
  audioCacheRead: (count) => ({ promptTokens: count, completionTokens: 0, audioCacheTokens: count }),
  imageInput: (count) => ({ promptTokens: count, completionTokens: 0, imageInputTokens: count }),
  imageOutput: (count) => ({ promptTokens: 0, completionTokens: count, imageOutputTokens: count }),
  imageCacheRead: (count) => ({ promptTokens: count, completionTokens: 0, imageCacheTokens: count }),
};
/** Tokens that no response counts apart from others: they have no price of their own here. */
const uncounted = new Set(['reasoning', 'batchInput', 'batchOutput', 'priorityInput', 'priorityOutput', 'tokens']);

/** Quota of so many tokens at USD per million, rounded up: a US dollar is 500,000. */
function exactly(usd: number, count: number): number {
  return Number(ceiling([decimalOf(usd), decimalOf(count), decimalOf(0.5)].reduce(multiply)));
}

/** What the catalogue lists, where a default can say it. */
function listedOf({ mode, usd = {} }: ModelRecord): [string, number][] {
  return Object.entries(usd)
    .filter(([kind]) => !uncounted.has(kind) && (kind !== 'output' || mode === 'chat' || mode === 'responses'))
    .flatMap(([kind, price]): [string, number][] => {
      // No price for what is written to a cache: it costs what is read plainly. None for what is read from there: the vendor has no cache.
      if (kind === 'cacheRead' && price === 0) return [];
      if (kind.startsWith('cacheWrite') && price === 0) return [[kind, usd.input ?? 0]];
      // All that it writes is sound.
      if (kind === 'output' && price === usd.audioOutput) return [];
      // Some vendors charge more for thinking, which responses do not report separately: the higher price applies.
      if (kind === 'output') return [[kind, Math.max(price, usd.reasoning ?? 0)]];
      return [[kind, price]];
    });
}

/** Odd, so that what is cut off would show; even, so that what is rounded up would. */
const counts = [3, 1_000_000, 1_000_003];

function chargesOf(price: UsagePrice, listed: readonly (readonly [string, number])[]) {
  const usual: UsagePrice = { ...price };
  delete usual.longInputs;
  return listed.flatMap(([kind, usd]) => {
    const usage = kinds[kind];
    if (usage === undefined) throw new Error(`A price of ${kind}, which no usage has`);
    return counts.map((count) => ({
      kind,
      count,
      listed: exactly(usd, count),
      charged: quotaOf(usage(count), usual, 1),
    }));
  });
}

const chargedOf = (charges: ReturnType<typeof chargesOf>) => charges.map(({ kind, count, charged }) => [kind, count, charged]);
const listedIn = (charges: ReturnType<typeof chargesOf>) => charges.map(({ kind, count, listed }) => [kind, count, listed]);

const byTokens = named.filter(([, { usd }]) => Object.values(usd ?? {}).some((price) => price > 0));

test.each(byTokens)('%s costs what the catalogue lists', (model, record) => {
  const price = findPrice(model, maps);
  if (price?.kind !== 'usage') throw new Error(`${model} has no price by its usage`);
  const charges = chargesOf(price, listedOf(record));
  expect(chargedOf(charges)).toEqual(listedIn(charges));
});

test.each(byTokens.filter(([, { above }]) => above?.input !== undefined))('%s costs more for a long prompt', (model, record) => {
  const price = findPrice(model, maps);
  const bound = record.above?.tokens ?? 0;
  const long = price?.kind === 'usage' ? price.longInputs?.find(({ above }) => above === bound)?.price : undefined;
  if (long === undefined) throw new Error(`${model} has no price above ${bound} tokens`);
  // Writes to the cache cost by one factor with all else that is read.
  const listed = Object.entries(record.above ?? {}).filter(([kind]) => kind in kinds && kind !== 'cacheWrite5m');
  const charges = chargesOf(long, listed);
  expect(chargedOf(charges)).toEqual(listedIn(charges));
});

/**
 * Vendors that charge half the audio price in slow tiers, where the catalogue has the text price.
 * https://ai.google.dev/gemini-api/docs/pricing
 */
const soundAtHalf = new Set(['gemini-2.5-flash-lite']);

test.each(byTokens.filter(([, { tiers }]) => tiers !== undefined))(
  '%s costs what each tier lists, of every kind of tokens',
  (model, record) => {
    const price = findPrice(model, maps);
    if (price?.kind !== 'usage') throw new Error(`${model} has no price by its usage`);
    const charges = Object.entries(record.tiers ?? {}).flatMap(([tier, prices]) => {
      const listed = listedOf({ ...record, usd: prices }).filter(([kind]) => !(kind === 'audioInput' && soundAtHalf.has(model)));
      const inLane = tier === 'batch' ? batchPrice(price) : price.tiers?.get(tier);
      if (inLane?.kind !== 'usage') throw new Error(`${model} has no price in the tier ${tier}`);
      return chargesOf(inLane, listed);
    });
    expect(chargedOf(charges)).toEqual(listedIn(charges));
  },
);

/** USD per billed unit: a transcribed minute, a minute of a session, a thousand spoken characters, an image, a search. */
const eachOf: Readonly<Record<string, readonly [kind: string, count: number]>> = {
  audio_transcription: ['secondInput', 60],
  realtime: ['secondInput', 60],
  audio_speech: ['characterInput', 1000],
  image_generation: ['pictureOutput', 1],
  rerank: ['query', 1],
  search: ['query', 1],
};

const byCall = named.flatMap(([model, { mode = '', usd, usdEach }]) => {
  const [kind, count] = eachOf[mode] ?? [];
  const each = kind === undefined ? undefined : usdEach?.[kind];
  const isByCall = each !== undefined && !Object.values(usd ?? {}).some((price) => price > 0);
  return isByCall ? [[model, each * (count ?? 1)] as const] : [];
});

test.each(byCall)('%s costs $%f a unit', (model, usd) => {
  const price = findPrice(model, maps);
  // Transcribed minutes count as 1,000 tokens, spoken characters as tokens.
  const charged = price?.kind === 'usage' ? (price.modelRatio * 2) / 1000 : price?.modelPrice;
  expect(charged).toBeCloseTo(usd, 5);
});

/** Without translations, whose sessions are not served (decision 80). */
const bySession = named.flatMap(([model, { mode, usd, usdEach }]) =>
  mode === 'realtime' && !model.includes('translate') && usd === undefined && usdEach?.secondInput !== undefined
    ? [[model, usdEach.secondInput] as const]
    : [],
);

test('models that are priced by the minute of a session are known', () => {
  expect(bySession.map(([model]) => model)).toEqual(['gpt-live-1', 'grok-voice-2.0', 'grok-voice-3.0', 'grok-voice-latest']);
});

test.each(bySession.flatMap(([model, usd]) => [60, 3_600, 1, 59, 61, 90].map((seconds) => [seconds, model, usd] as const)))(
  'a session of %i s with %s costs its minutes at $%f a second, and at most a thousandth of one more',
  (seconds, model, usd) => {
    const price = findPrice(model, maps);
    if (price?.kind !== 'call') throw new Error(`${model} has no price by the minute`);
    const usage: PricedUsage = { promptTokens: 1, completionTokens: 0, units: sessionMinutes(seconds) };
    // The catalogue's second has twelve digits: a minute is rounded to what its vendor lists.
    const perMinute = Math.round(usd * 60 * 10_000) / 10_000;
    const listed = exactly(perMinute * 1_000_000, seconds / 60);
    const charged = quotaOf(usage, price, 1);
    expect(charged).toBeGreaterThanOrEqual(listed);
    expect(charged).toBeLessThanOrEqual(seconds % 60 === 0 ? listed : listed + Math.ceil(perMinute * 500));
  },
);

test.each(named.filter(([, { mode, usdEach }]) => mode === 'video_generation' && usdEach?.secondOutput !== undefined))(
  'a second of %s',
  (model, { usdEach }) => {
    const price = findPrice(model, maps);
    if (price?.kind !== 'call' || price.videos === undefined) throw new Error(`${model} has no price by the second`);
    expect(pricePerSecond(price.videos, 720)).toBe(usdEach?.secondOutput);
  },
);

const searching = named.filter(([, { usdEach }]) => usdEach?.webSearch !== undefined);
const searchingMaps = named.filter(([, { usdEach }]) => usdEach?.searchMaps !== undefined);

test.each(searching)('a search of %s', (model, { usdEach }) => {
  const { web_search: usual, web_search_preview: preview } = toolPricesOf(model, toolPrices);
  expect([usual, preview].map((price) => (price ?? 0) / 1000)).toContain(usdEach?.webSearch);
});

test.each(searchingMaps)('a search in maps of %s', (model, { usdEach }) => {
  expect((toolPricesOf(model, toolPrices).maps ?? 0) / 1000).toBe(usdEach?.searchMaps);
});

test('every other model of the catalogue with a price has one from the start', () => {
  const missing = named.filter(([model, { usd, usdEach, mode = '' }]) => {
    const hasListed = usd !== undefined || (mode in eachOf && usdEach !== undefined);
    return hasListed && findPrice(model, maps) === null;
  });
  expect(missing.map(([model]) => model)).toEqual([]);
});

test('a model without a default is refused, not charged by another price', () => {
  const without = Object.keys(models).filter((model) => unpriced.some((one) => one.test(model)));
  expect(without.filter((model) => findPrice(model, maps) !== null)).toEqual([]);
});

test('each reason for another default is one still', () => {
  const names = Object.keys(models);
  for (const one of [...Object.values(otherDefaults).flat(), ...unpriced]) expect(names.some((model) => one.test(model))).toBe(true);
});
