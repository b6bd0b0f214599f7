import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimalOf, decimalText, product as exactProduct } from '#shared/decimal.ts';
import { priceOfLog, pricesPerMillion, usageOfLog } from '#shared/price-display.ts';
import { completionRatioOf, pricedName } from '#shared/pricing-rules.ts';
import { findPrice, unsetPrice } from '#shared/find-price.ts';
import { costOf, type Price, type PricedUsage, quotaOf, type UsagePrice } from '#shared/pricing.ts';
import completionRatios from '#tests/fixtures/pricing/completion-ratio-effective.json' with { type: 'json' };

const options = { 'gpt-4-all': 2, 'gpt-4-gizmo-*': 2, 'gpt-4o-gizmo-*': 3 };
const maps = {
  modelPrice: { 'dall-e-3': 0.04, 'gpt-4-gizmo-*': 0.1, free: 0 },
  modelRatio: { 'gpt-4o': 1.25, 'gpt-4o-gizmo-*': 2.5, 'deepseek-chat': 0.135, 'claude-3-5-sonnet-20241022': 1.5, nothing: 0 },
  completionRatio: options,
  cacheRatio: { 'gpt-4o': 0.5, 'claude-3-5-sonnet-20241022': 0.1 },
  cacheCreationRatio: { 'claude-3-5-sonnet-20241022': 1.5 },
  audioRatio: { 'gpt-4o': 16 },
  audioCompletionRatio: { 'gpt-4o': 2 },
  audioCacheRatio: { 'gpt-4o': 0.0625 },
  imageRatio: { 'claude-3-5-sonnet-20241022': 2 },
};

function usagePrice(changes: Partial<UsagePrice> = {}): Price {
  const { completionRatio = 1 } = changes;
  const plain = {
    cacheRatio: 1,
    cacheCreationRatio: 1.25,
    cacheCreation1hRatio: 2,
    audioInputRatio: 1,
    audioOutputRatio: completionRatio,
    imageInputRatio: 1,
    imageOutputRatio: completionRatio,
  };
  return { kind: 'usage', modelRatio: 1, completionRatio, ...plain, ...changes };
}

const tokens = (promptTokens: number, completionTokens = 0, more: Partial<PricedUsage> = {}): PricedUsage => ({
  promptTokens,
  completionTokens,
  ...more,
});

describe('completion ratio', () => {
  test.each(Object.entries(completionRatios))('%s', (model, ratio) => {
    expect(completionRatioOf(model, options)).toBe(ratio);
  });

  test.each([
    ['gpt-realtime', 4],
    ['gpt-realtime-2025-08-28', 4],
    ['gpt-realtime-2', 6],
    ['gpt-realtime-2.1', 6],
    ['gpt-realtime-2.1-mini', 4],
    ['gpt-realtime-whisper', 1],
    ['gpt-live-transcribe', 1],
    ['gpt-4o-transcribe', 4],
    ['gpt-4o-mini-transcribe', 4],
  ])('of a session: %s', (model, ratio) => {
    expect(completionRatioOf(model, {})).toBe(ratio);
  });

  test('an option wins over a preset, but not over a fixed ratio', () => {
    expect(completionRatioOf('gpt-4', { 'gpt-4': 7 })).toBe(7);
    expect(completionRatioOf('gpt-4o', { 'gpt-4o': 7 })).toBe(4);
    expect(completionRatioOf('gemini-9', { 'gemini-9': 7 })).toBe(7);
  });

  test('an option for a name with a slash always wins', () => {
    expect(completionRatioOf('anthropic/claude-3-opus', { 'anthropic/claude-3-opus': 6 })).toBe(6);
    expect(completionRatioOf('anthropic/claude-3-opus', {})).toBe(5);
  });

  test('gizmo models share one name for price, ratio and completion ratio', () => {
    expect(pricedName('gpt-4o-gizmo-g-2fkFE8rbu')).toBe('gpt-4o-gizmo-*');
    expect(completionRatioOf('gpt-4o-gizmo-g-2fkFE8rbu', options)).toBe(3);
    expect(findPrice('gpt-4-gizmo-g-1', maps)).toEqual({ kind: 'call', modelPrice: 0.1 });
    expect(findPrice('gpt-4o-gizmo-g-1', maps)).toMatchObject({ kind: 'usage', modelRatio: 2.5, completionRatio: 3 });
  });
});

describe('finding a price', () => {
  test('a price per call wins over a ratio', () => {
    expect(findPrice('gpt-4o', { ...maps, modelPrice: { 'gpt-4o': 0.2 } })).toEqual({ kind: 'call', modelPrice: 0.2 });
  });

  test('ratios that are not set have their defaults', () => {
    expect(findPrice('deepseek-chat', maps)).toEqual(usagePrice({ modelRatio: 0.135, completionRatio: 4 }));
  });

  test('writing to the cache and audio cost what is set for them, else what they do everywhere', () => {
    const [hears, writes] = [findPrice('gpt-4o', maps), findPrice('claude-3-5-sonnet-20241022', maps)];
    expect(hears).toMatchObject({ cacheCreationRatio: 1.25, audioInputRatio: 16, audioOutputRatio: 32 });
    expect(writes).toMatchObject({ cacheCreationRatio: 1.5, cacheCreation1hRatio: 2.4, audioInputRatio: 1, audioOutputRatio: 5 });
  });

  test('a model without price and ratio has none; where allowed it counts 37.5', () => {
    expect(findPrice('unheard-of', maps)).toBeNull();
    expect(unsetPrice('unheard-of', maps)).toEqual(usagePrice({ modelRatio: 37.5 }));
  });
});

describe('the charge', () => {
  test.each<[string, PricedUsage, Price, number, number]>([
    ['input and output', tokens(1000, 500), usagePrice({ modelRatio: 1.25, completionRatio: 4 }), 1, 3750],
    ['rounds up', tokens(3), usagePrice({ modelRatio: 0.4 }), 1, 2],
    ['1.2 units cost 2', tokens(12), usagePrice({ modelRatio: 0.1 }), 1, 2],
    ['a whole result stays', tokens(10), usagePrice({ modelRatio: 0.3 }), 1, 3],
    ['no float drift', tokens(3), usagePrice({ modelRatio: 0.1 }), 10, 3],
    ['at least 1', tokens(1), usagePrice({ modelRatio: 0.000001 }), 0.01, 1],
    ['at least 1, although all input was cached for nothing', tokens(100, 0, { cachedTokens: 100 }), usagePrice({ cacheRatio: 0 }), 1, 1],
    ['cached tokens', tokens(1000, 0, { cachedTokens: 600 }), usagePrice({ cacheRatio: 0.5 }), 1, 700],
    ['cache writes', tokens(1000, 0, { cachedTokens: 200, cacheCreationTokens: 400 }), usagePrice({ cacheRatio: 0.1 }), 1, 920],
    ['cache writes for an hour', tokens(1000, 0, { cacheCreationTokens: 400, cacheCreation1hTokens: 100 }), usagePrice(), 1, 1200],
    ['more written than input', tokens(100, 0, { cacheCreationTokens: 60, cacheCreation1hTokens: 90 }), usagePrice(), 1, 155],
    ['more cached than input', tokens(100, 0, { cachedTokens: 900, cacheCreationTokens: 5 }), usagePrice({ cacheRatio: 0.5 }), 1, 50],
    ['audio heard', tokens(1000, 0, { cachedTokens: 200, audioInputTokens: 300 }), usagePrice({ audioInputRatio: 16 }), 1, 5500],
    [
      'audio and pictures from the cache',
      tokens(1000, 0, { cachedTokens: 100, audioCacheTokens: 200, imageCacheTokens: 300, audioInputTokens: 50 }),
      usagePrice({ cacheRatio: 0.5, audioInputRatio: 8, audioCacheRatio: 2, imageCacheRatio: 3 }),
      1,
      50 + 400 + 900 + 400 + 350,
    ],
    [
      'the same where they have no price of their own',
      tokens(1000, 0, { cachedTokens: 100, audioCacheTokens: 200, imageCacheTokens: 300 }),
      usagePrice({ cacheRatio: 0.5 }),
      1,
      700,
    ],
    ['audio spoken', tokens(0, 100, { audioOutputTokens: 60 }), usagePrice({ completionRatio: 4, audioOutputRatio: 32 }), 1, 2080],
    [
      'more audio than there is',
      tokens(10, 10, { audioInputTokens: 50, audioOutputTokens: 50 }),
      usagePrice({ audioInputRatio: 2 }),
      1,
      30,
    ],
    ['group ratio', tokens(100), usagePrice(), 0.85, 85],
    ['a free group', tokens(100), usagePrice(), 0, 0],
    ['a free model', tokens(100), usagePrice({ modelRatio: 0 }), 1, 0],
    ['nothing used', tokens(0), usagePrice(), 1, 0],
    ['per call', tokens(5), { kind: 'call', modelPrice: 0.04 }, 1, 20_000],
    ['per call, rounded up', tokens(5), { kind: 'call', modelPrice: 0.000001 }, 1, 1],
    ['per call, free group', tokens(5), { kind: 'call', modelPrice: 0.04 }, 0, 0],
    ['per call, nothing used', tokens(0), { kind: 'call', modelPrice: 0.04 }, 1, 0],
    ['a ratio that does not end', tokens(0, 3), usagePrice({ completionRatio: 4 / 3 }), 1, 4],
    ['larger than any balance', tokens(10 ** 15, 10 ** 15), usagePrice({ modelRatio: 10 ** 9 }), 1, Number.MAX_SAFE_INTEGER],
  ])('%s', (_name, usage, price, groupRatio, quota) => {
    expect(quotaOf(usage, price, groupRatio, 500_000)).toBe(quota);
  });

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60])('refuses %s tokens', (count) => {
    expect(() => quotaOf(tokens(count), usagePrice(), 1)).toThrow(RangeError);
    expect(() => quotaOf(tokens(1, count), usagePrice(), 1)).toThrow(RangeError);
    expect(() => quotaOf(tokens(1, 1, { cachedTokens: count }), usagePrice(), 1)).toThrow(RangeError);
  });

  test('follows a changed group ratio and quota per unit', () => {
    const price: Price = { kind: 'call', modelPrice: 0.01 };
    expect(quotaOf(tokens(1), price, 1, 500_000)).toBe(5000);
    expect(quotaOf(tokens(1), price, 2, 500_000)).toBe(10_000);
    expect(quotaOf(tokens(1), price, 2, 1000)).toBe(20);
  });
});

const ratios = fc.oneof(
  fc.integer({ min: 0, max: 100_000 }).map((value) => value / 1000),
  fc.double({ min: 0, max: 1000, noNaN: true }),
  fc.constantFrom(0, 1, 4 / 3, 0.1, 1e-7, 37.5),
);
const counts = fc.oneof(fc.nat(300), fc.nat(2_000_000));
const usages = fc.record({
  promptTokens: counts,
  completionTokens: counts,
  cachedTokens: counts,
  cacheCreationTokens: counts,
  cacheCreation1hTokens: counts,
  audioInputTokens: counts,
  audioOutputTokens: counts,
  imageInputTokens: counts,
  imageOutputTokens: counts,
  audioCacheTokens: counts,
  imageCacheTokens: counts,
  units: fc.record({
    kind: fc.constantFrom('search' as const, 'image' as const),
    count: fc.nat(1000),
    factor: fc.constantFrom(0.4, 0.45, 1, 1.5, 2, 3),
  }),
});
const usagePrices = fc.record({
  kind: fc.constant('usage' as const),
  modelRatio: ratios,
  completionRatio: ratios,
  cacheRatio: ratios,
  cacheCreationRatio: ratios,
  cacheCreation1hRatio: ratios,
  audioInputRatio: ratios,
  audioOutputRatio: ratios,
  imageInputRatio: ratios,
  imageOutputRatio: ratios,
  audioCacheRatio: ratios,
  imageCacheRatio: ratios,
});
const prices: fc.Arbitrary<Price> = fc.oneof(usagePrices, fc.record({ kind: fc.constant('call' as const), modelPrice: ratios }));

/** The formula once more, slowly, as fractions with 400 decimal places to spare. */
function slowQuota(usage: Required<Omit<PricedUsage, 'longestInput' | 'tier'>>, price: Price, group: number, perUnit: number): bigint {
  const places = 400;
  const unit = 10n ** BigInt(places);
  const fraction = (value: number): bigint => {
    const { digits, scale } = decimalOf(value);
    return (digits * unit) / 10n ** BigInt(scale);
  };
  if (usage.promptTokens + usage.completionTokens === 0) return 0n;
  const factor = fraction(group) * fraction(price.kind === 'call' ? perUnit : price.modelRatio);
  const cached = Math.min(usage.cachedTokens, usage.promptTokens);
  const cachedAudio = Math.min(usage.audioCacheTokens, usage.promptTokens - cached);
  const cachedImage = Math.min(usage.imageCacheTokens, usage.promptTokens - cached - cachedAudio);
  const text = usage.promptTokens - cached - cachedAudio - cachedImage;
  const written = Math.min(usage.cacheCreationTokens, text);
  const writtenLong = Math.min(usage.cacheCreation1hTokens, text - written);
  const received = Math.min(usage.audioInputTokens, text - written - writtenLong);
  const seen = Math.min(usage.imageInputTokens, text - written - writtenLong - received);
  const spoken = Math.min(usage.audioOutputTokens, usage.completionTokens);
  const drawn = Math.min(usage.imageOutputTokens, usage.completionTokens - spoken);
  const units =
    price.kind === 'call'
      ? BigInt(usage.units.count) * fraction(exactProduct(price.modelPrice, usage.units.factor ?? 1))
      : BigInt(text - written - writtenLong - received - seen) * unit +
        BigInt(cached) * fraction(price.cacheRatio) +
        BigInt(cachedAudio) * fraction(price.audioCacheRatio ?? price.cacheRatio) +
        BigInt(cachedImage) * fraction(price.imageCacheRatio ?? price.cacheRatio) +
        BigInt(written) * fraction(price.cacheCreationRatio) +
        BigInt(writtenLong) * fraction(price.cacheCreation1hRatio) +
        BigInt(received) * fraction(price.audioInputRatio) +
        BigInt(seen) * fraction(price.imageInputRatio) +
        BigInt(usage.completionTokens - spoken - drawn) * fraction(price.completionRatio) +
        BigInt(spoken) * fraction(price.audioOutputRatio) +
        BigInt(drawn) * fraction(price.imageOutputRatio);
  if (factor === 0n || (price.kind === 'call' && units === 0n)) return 0n;
  const quota = (units * factor + unit ** 3n - 1n) / unit ** 3n;
  return quota === 0n ? 1n : quota;
}

describe('for any usage, price and group', () => {
  test('the charge is the exact product, rounded up', () => {
    fc.assert(
      fc.property(usages, prices, ratios, fc.constantFrom(500_000, 1000, 1), (usage, price, group, perUnit) => {
        const expected = slowQuota(usage, price, group, perUnit);
        const most = BigInt(Number.MAX_SAFE_INTEGER);
        expect(BigInt(quotaOf(usage, price, group, perUnit))).toBe(expected > most ? most : expected);
      }),
      { numRuns: 1000 },
    );
  });

  test('more tokens never cost less', () => {
    fc.assert(
      fc.property(usages, prices, ratios, fc.nat(1000), (usage, price, group, more) => {
        const longer = { ...usage, completionTokens: usage.completionTokens + more };
        expect(quotaOf(longer, price, group)).toBeGreaterThanOrEqual(quotaOf(usage, price, group));
      }),
    );
  });

  test('the receipt adds up to the charge', () => {
    fc.assert(
      fc.property(usages, prices, ratios, (usage, price, group) => {
        const cost = costOf(usage, price, group, 500_000);
        const { lines, subtotal, factor, exact, rounding, quota } = cost.receipt();
        expect(quota).toBe(cost.quota);
        expect(sum(lines.map((line) => line.units))).toBe(subtotal);
        expect(product(subtotal, factor)).toBe(exact);
        expect(sum([exact, rounding])).toBe(String(quota));
      }),
    );
  });
});

function parts(text: string): { digits: bigint; scale: number } {
  const [whole = '', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

function sum(texts: string[]): string {
  const all = texts.map(parts);
  const scale = Math.max(0, ...all.map((part) => part.scale));
  return decimalText({ digits: all.reduce((total, part) => total + part.digits * 10n ** BigInt(scale - part.scale), 0n), scale });
}

function product(a: string, b: string): string {
  const [left, right] = [parts(a), parts(b)];
  return decimalText({ digits: left.digits * right.digits, scale: left.scale + right.scale });
}

describe('for people', () => {
  test('prices per million tokens are ratio × 2 × group ratio', () => {
    const entry = { model_ratio: 1.25, completion_ratio: 4, cache_ratio: 0.5 };
    expect(pricesPerMillion(entry, 1)).toEqual({ prompt: 2.5, cached: 1.25, completion: 10 });
    expect(pricesPerMillion({ ...entry, cache_creation_ratio: 1.25, audio_ratio: 16, audio_output_ratio: 32 }, 2)).toMatchObject({
      written: 6.25,
      heard: 80,
      spoken: 160,
    });
    expect(pricesPerMillion({ ...entry, model_ratio: 0.1 }, 3)).toEqual({ prompt: 0.6, cached: 0.3, completion: 2.4 });
  });

  test('a log row remembers what its charge came about by', () => {
    const other = {
      model_ratio: 1.25,
      completion_ratio: 4,
      cache_ratio: 0.5,
      cache_creation_ratio: 1.25,
      group_ratio: 0.5,
      model_price: -1,
      cache_tokens: 400,
      cache_creation_tokens: 300,
      cache_creation_tokens_1h: 100,
    };
    const price = priceOfLog(other);
    if (price === null) throw new Error('The row remembers no price');
    const cost = costOf(usageOfLog({ prompt_tokens: 1000, completion_tokens: 250 }, other), price, other.group_ratio);
    expect(cost.receipt()).toEqual({
      lines: [
        { part: 'prompt', count: 300, ratio: 1, units: '300' },
        { part: 'cached', count: 400, ratio: 0.5, units: '200' },
        { part: 'cache_creation', count: 200, ratio: 1.25, units: '250' },
        { part: 'cache_creation_1h', count: 100, ratio: 2, units: '200' },
        { part: 'completion', count: 250, ratio: 4, units: '1000' },
      ],
      tools: [],
      subtotal: '1950',
      factor: '0.625',
      exact: '1218.75',
      rounding: '0.25',
      quota: 1219,
    });
  });

  test('a row without ratios remembers no price', () => {
    expect(priceOfLog({})).toBeNull();
  });
});
