import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { costlierTier, findPrice } from '#shared/find-price.ts';
import { priceAt } from '#shared/price-at.ts';
import { priceOfLog, usageOfLog } from '#shared/price-display.ts';
import { costOf, costWithTools, type Price, quotaOf, quotaWithTools } from '#shared/pricing.ts';
import { isKnownTierName, isTierPriceName, tierFactorsOf, tierNamed } from '#shared/service-tiers.ts';

const factors = { 'priority:tide*': 2, 'priority:tide-pro*': 3, 'flex:tide*': 0.5, 'priority:tide-pro-1': 4, 'ultrafast:other': 6 };

const factorsOf = (model: string) =>
  Object.fromEntries(
    [...tierFactorsOf(model, factors)].map(([tier, { factor: all, parts }]) => [tier, Object.keys(parts).length > 0 ? parts : all]),
  );

describe('tiers of a model', () => {
  test('its own name counts before a beginning of it, a long beginning before a short one, tier by tier', () => {
    expect(factorsOf('tide-mini')).toEqual({ priority: 2, flex: 0.5 });
    expect(factorsOf('tide-pro-2')).toEqual({ priority: 3, flex: 0.5 });
    expect(factorsOf('tide-pro-1')).toEqual({ priority: 4, flex: 0.5 });
    expect(tierFactorsOf('nobody', factors).size).toBe(0);
  });

  test('a kind of tokens has a factor of its own, by itself; batches cost half where nothing else is said', () => {
    const own = { 'flex:a*': 0.5, 'flex/cached:a*': 1, 'flex/cached:a-mini': 0.25, 'batch/cached:a*': 0.6 };
    expect(tierFactorsOf('a-pro', own)).toEqual(
      new Map([
        ['flex', { factor: 0.5, parts: { cached: 1 } }],
        ['batch', { factor: 0.5, parts: { cached: 0.6 } }],
      ]),
    );
    expect(tierFactorsOf('a-mini', own).get('flex')).toEqual({ factor: 0.5, parts: { cached: 0.25 } });
  });

  test.each(['priority:a', 'flex:b*', 'ultra_fast:c', 'flex/cached:a*', 'batch/cache_creation_1h:a'])('%s names one', (name) =>
    expect(isTierPriceName(name)).toBe(true),
  );
  test.each(['tide', ':a', 'flex:', 'standard:a', 'Flex:a', 'flex/:a', 'flex/prompt:a', 'flex/tide:a'])('%s names none', (name) =>
    expect(isTierPriceName(name)).toBe(false),
  );
  test.each(['fast:a', 'default:a', 'on_demand_priority:a', 'auto:a'])('%s is never looked up', (name) =>
    expect(isKnownTierName(name)).toBe(false),
  );
  test.each(['priority:a', 'flex:b*', 'ultra_fast:c'])('%s may be', (name) => expect(isKnownTierName(name)).toBe(true));

  test.each([
    ['priority', 'priority'],
    ['fast', 'priority'],
    ['SERVICE_TIER_PRIORITY', 'priority'],
    ['ON_DEMAND_PRIORITY', 'priority'],
    ['ON_DEMAND_FLEX', 'flex'],
    ['ON_DEMAND', 'standard'],
    ['default', 'standard'],
    ['standard_only', 'standard'],
    ['STANDARD', 'standard'],
    ['scale', 'scale'],
    ['auto', undefined],
    ['SERVICE_TIER_UNSPECIFIED', undefined],
    ['constructor', 'constructor'],
    ['__proto__', undefined],
    ['', undefined],
    [7, undefined],
    [null, undefined],
  ])('%j is called %s', (reported, name) => expect(tierNamed(reported)).toBe(name));
});

const maps = { modelPrice: { 'tide-call': 1 }, completionRatio: { 'tide-pro': 4 }, cacheRatio: { 'tide-pro': 0.1 } };

function priceOf(model: string, tierPrice: Record<string, number>, modelRatio = 1): Price {
  const price = findPrice(model, { ...maps, modelRatio: { [model]: modelRatio }, tierPrice, longInputPrice: { 'input>1000:tide-pro': 2 } });
  if (price === null) throw new Error('no price');
  return price;
}

describe('the charge', () => {
  const price = priceOf('tide-pro', { 'priority:*': 2, 'flex:*': 0.5 });
  const usage = { promptTokens: 1000, completionTokens: 10, cachedTokens: 500 };

  test.each([
    [undefined, 590],
    ['standard', 590],
    ['scale', 590],
    ['priority', 1180],
    ['flex', 295],
  ])('in the tier %s', (tier, quota) => {
    expect(quotaOf({ ...usage, ...(tier === undefined ? {} : { tier }) }, price, 1)).toBe(quota);
  });

  test('holds the factor of a long prompt as well', () => {
    expect(quotaOf({ promptTokens: 1001, completionTokens: 0, tier: 'priority' }, price, 1)).toBe(4004);
    expect(quotaOf({ promptTokens: 1001, completionTokens: 0, tier: 'flex' }, price, 1)).toBe(1001);
  });

  test('of a kind with a factor of its own is by that one, of a long prompt, too', () => {
    const own = priceOf('tide-pro', { 'flex:*': 0.5, 'flex/cached:*': 1, 'flex/completion:*': 0.7 });
    const flex = { ...usage, tier: 'flex' };
    expect(quotaOf(flex, own, 1)).toBe(500 / 2 + 500 * 0.1 + 10 * 4 * 0.7);
    const { lines, quota } = costOf(flex, own, 1).receipt();
    expect([quota, lines.map(({ part }) => part)]).toEqual([328, ['prompt', 'cached', 'completion']]);
    expect(quotaOf({ promptTokens: 2000, completionTokens: 0, cachedTokens: 1000, tier: 'flex' }, own, 1)).toBe(1000 + 200);
    expect(quotaOf({ promptTokens: 100, completionTokens: 0, cachedTokens: 100, cacheCreationTokens: 0, tier: 'flex' }, own, 1)).toBe(10);
    // Everything but one kind is free.
    const free = priceOf('tide-pro', { 'flex:*': 0, 'flex/completion:*': 1 });
    expect(quotaOf(flex, free, 1)).toBe(40);
  });

  test('of a quotient without an end is that of the price itself, rounded up', () => {
    const own = priceOf('tide-pro', { 'flex:*': 0.5, 'flex/cached:*': 0.66666666666 });
    expect(quotaOf({ promptTokens: 3_000_000, completionTokens: 0, cachedTokens: 3_000_000, tier: 'flex', longestInput: 1 }, own, 1)).toBe(
      200_000,
    );
  });

  test('a tier that costs more for one kind alone counts as more expensive for calls that use enough of it', () => {
    const own = priceOf('tide-pro', { 'odd:*': 0.5, 'odd/completion:*': 3 });
    expect(costlierTier(own, 'odd')).toBe('odd');
    expect(costlierTier(own, 'odd', { promptTokens: 10, completionTokens: 10 })).toBe('odd');
    expect(costlierTier(own, 'odd', { promptTokens: 1000, completionTokens: 1 })).toBeUndefined();
  });

  test('of tools stays what it is', () => {
    const terms = { groupRatio: 1, quotaPerUnit: 1000, tools: [{ kind: 'web_search' as const, calls: 1, price: 10 }] };
    const [usual, fast] = [usage, { ...usage, tier: 'priority' }].map((one) => quotaWithTools(one, price, terms));
    expect((fast ?? 0) - (usual ?? 0)).toBe(590);
    const { exact, rounding, quota } = costWithTools({ ...usage, tier: 'priority' }, price, terms).receipt();
    expect([Number(exact) + Number(rounding), quota]).toEqual([fast, fast]);
  });

  test('per call is the same in every tier', () => {
    expect(quotaOf({ ...usage, tier: 'priority' }, priceOf('tide-call', { 'priority:*': 2 }), 1)).toBe(500_000);
  });

  test('the requested tier counts only if it costs more', () => {
    expect(['priority', 'flex', 'standard', 'scale', undefined].map((tier) => costlierTier(price, tier))).toEqual([
      'priority',
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

const count = fc.nat(3000);
const factor = fc.constantFrom(0, 0.1, 0.5, 1, 1.67, 1.8, 2, 6);

test('no call costs less than nothing or than in the least expensive tier, nor more than in the most expensive one; its receipt adds up, from its row too', () => {
  fc.assert(
    fc.property(
      fc.record({ promptTokens: count, completionTokens: count, cachedTokens: count }),
      fc.record({ priority: factor, flex: factor, cached: factor }),
      fc.constantFrom('priority', 'flex', 'standard', 'scale'),
      fc.constantFrom(0, 0.1, 0.75, 1.25, 4 / 3, 15),
      fc.constantFrom(0, 0.5, 1, 1.1),
      (requested, { priority, flex, cached }, tier, modelRatio, group) => {
        const price = priceOf('tide-pro', { 'priority:*': priority, 'flex:*': flex, 'flex/cached:*': cached }, modelRatio);
        const usage = { ...requested, cachedTokens: Math.min(requested.cachedTokens, requested.promptTokens), tier };
        const quota = quotaOf(usage, price, group);
        const usual = { ...usage, tier: 'standard' };
        const inTiers = [usual, { ...usage, tier: 'priority' }, { ...usage, tier: 'flex' }].map((one) => quotaOf(one, price, group));
        expect(quota).toBeGreaterThanOrEqual(Math.max(0, Math.min(...inTiers)));
        expect(quota).toBeLessThanOrEqual(Math.max(...inTiers));
        const receipt = costOf(usage, price, group).receipt();
        expect(receipt.quota).toBe(quota);
        expect(receipt.lines.reduce((sum, line) => sum + line.count, 0)).toBe(usage.promptTokens + usage.completionTokens);
        const at = priceAt(price, usage);
        if (at.kind !== 'usage') throw new Error('no price');
        const row = {
          model_ratio: at.modelRatio,
          completion_ratio: at.completionRatio,
          cache_ratio: at.cacheRatio,
          ...(at.inputRatio === undefined ? {} : { input_ratio: at.inputRatio }),
          cache_tokens: usage.cachedTokens,
          model_price: -1,
          service_tier: tier,
        };
        const reported = priceOfLog(row);
        if (reported === null) throw new Error('no price in the row');
        const logged = usageOfLog({ prompt_tokens: usage.promptTokens, completion_tokens: usage.completionTokens }, row);
        expect(costOf(logged, reported, group).receipt()).toEqual(receipt);
      },
    ),
    { numRuns: 500 },
  );
});
