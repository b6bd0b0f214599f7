import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findPrice, withLongInputs } from '#shared/find-price.ts';
import { isLongInputName, longInputsOf } from '#shared/long-inputs.ts';
import { priceOfLog, usageOfLog } from '#shared/price-display.ts';
import { pricedUsage } from '#shared/priced-usage.ts';
import { priceAt } from '#shared/price-at.ts';
import { costOf, quotaOf, type UsagePrice } from '#shared/pricing.ts';
import { noTokens } from '#shared/token-usage.ts';

const factors = {
  'input>200000:tide-*': 2,
  'output>200000:tide-*': 1.5,
  'input>1000:tide-pro*': 3,
  'input>32000:tide-pro*': 4,
  'output>32000:tide-pro*': 5,
  'input>10:tide-pro-1': 7,
};
const maps = { modelPrice: {}, modelRatio: { 'tide-pro-2': 1 }, completionRatio: { 'tide-pro-2': 4 }, cacheRatio: { 'tide-pro-2': 0.1 } };

function priceOf(): UsagePrice {
  const price = findPrice('tide-pro-2', { ...maps, longInputPrice: factors });
  if (price?.kind !== 'usage') throw new Error('no price');
  return price;
}

describe('bounds of a model', () => {
  test('its own name counts before a beginning of it, a long beginning before a short one', () => {
    expect(longInputsOf('tide-mini', factors)).toEqual([{ above: 200_000, input: 2, output: 1.5 }]);
    expect(longInputsOf('tide-pro-1', factors)).toEqual([{ above: 10, input: 7, output: 1 }]);
    expect(longInputsOf('tide-pro-2', factors)).toEqual([
      { above: 32_000, input: 4, output: 5 },
      { above: 1000, input: 3, output: 1 },
    ]);
    expect(longInputsOf('other', factors)).toEqual([]);
  });

  test.each(['input>200000:a', 'output>1:b*'])('%s names one', (name) => expect(isLongInputName(name)).toBe(true));
  test.each(['tide', 'input>:a', 'input>1:', 'cache>1:a', 'input>-1:a', 'input>1e9:a'])('%s names none', (name) => {
    expect(isLongInputName(name)).toBe(false);
  });
});

describe('the charge', () => {
  test.each([
    [1000, 1000 + 10 * 4],
    [1001, 3 * 1001 + 10 * 4],
    [32_000, 3 * 32_000 + 10 * 4],
    [32_001, 4 * 32_001 + 10 * 20],
  ])('of %i tokens', (promptTokens, quota) => {
    expect(quotaOf({ promptTokens, completionTokens: 10 }, priceOf(), 1)).toBe(quota);
  });

  test('what is read from the cache counts as length, and costs the factor too', () => {
    expect(quotaOf({ promptTokens: 2000, cachedTokens: 1500, completionTokens: 0 }, priceOf(), 1)).toBe(500 * 3 + 1500 * 0.3);
  });

  test('what is summarized within a call was read by itself', () => {
    const usage = { ...noTokens, input: 1800, output: 1, summaries: { ...noTokens, input: 900, output: 0 } };
    expect(quotaOf(pricedUsage(usage), priceOf(), 1)).toBe(1804);
    expect(quotaOf(pricedUsage({ ...usage, summaries: noTokens }), priceOf(), 1)).toBe(5404);
  });

  test('its receipt can be made from the row, and adds up', () => {
    const usage = { promptTokens: 40_000, cachedTokens: 8000, completionTokens: 100 };
    const at = priceAt(priceOf(), usage);
    if (at.kind !== 'usage') throw new Error('no price');
    const other = {
      model_ratio: at.modelRatio,
      completion_ratio: at.completionRatio,
      cache_ratio: at.cacheRatio,
      input_ratio: at.inputRatio,
      cache_tokens: 8000,
      model_price: -1,
    };
    const reported = priceOfLog(other);
    if (reported === null) throw new Error('no price in the row');
    const row = { prompt_tokens: 40_000, completion_tokens: 100 };
    expect(costOf(usageOfLog(row, other), reported, 1).receipt()).toEqual(costOf(usage, priceOf(), 1).receipt());
    expect(quotaOf(usageOfLog(row, other), reported, 1)).toBe(32_000 * 4 + 8000 * 0.4 + 100 * 20);
  });
});

const ratio = fc.constantFrom(0, 0.1, 0.25, 1, 4 / 3, 2, 8);
const count = fc.nat(3000);

test('any call costs what it would at the ratios of its length alone, and no factor from 1 up makes it cheaper', () => {
  fc.assert(
    fc.property(
      fc.record({ promptTokens: count, completionTokens: count, cachedTokens: count, cacheCreationTokens: count, audioInputTokens: count }),
      fc.record({
        kind: fc.constant('usage' as const),
        modelRatio: ratio,
        completionRatio: ratio,
        cacheRatio: ratio,
        cacheCreationRatio: ratio,
        cacheCreation1hRatio: ratio,
        audioInputRatio: ratio,
        audioOutputRatio: ratio,
        imageInputRatio: ratio,
        imageOutputRatio: ratio,
      }),
      fc.record({ above: count, input: fc.constantFrom(1, 1.5, 2, 3), output: fc.constantFrom(1, 1.5, 2) }),
      ratio,
      (usage, price, long, group) => {
        const lengths = withLongInputs(price, [long]);
        const quota = quotaOf(usage, lengths, group);
        const { lines, quota: reported } = costOf(usage, lengths, group).receipt();
        expect(reported).toBe(quota);
        expect(lines.reduce((sum, line) => sum + line.count, 0)).toBe(usage.promptTokens + usage.completionTokens);
        expect(quota).toBeGreaterThanOrEqual(quotaOf(usage, price, group));
        if (usage.promptTokens <= long.above) expect(quota).toBe(quotaOf(usage, price, group));
      },
    ),
    { numRuns: 500 },
  );
});
