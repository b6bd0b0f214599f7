import { describe, expect, test } from 'vitest';
import { costWithTools, type Price } from '#shared/pricing.ts';
import { settingProblem, settings } from '#shared/settings.ts';
import { isToolPriceName, pricedRuns, toolCharges, toolPricesOf } from '#shared/tool-prices.ts';

const maps = { web_search: 10, 'web_search:gpt-4o*': 25, 'web_search:gpt-4o-mini*': 30, code_execution: 0, 'file_search:gpt*': 2.5 };
const price: Price = {
  kind: 'usage',
  modelRatio: 0.5,
  completionRatio: 2,
  cacheRatio: 1,
  cacheCreationRatio: 1.25,
  cacheCreation1hRatio: 2,
  audioInputRatio: 1,
  audioOutputRatio: 2,
  imageInputRatio: 1,
  imageOutputRatio: 1,
};

describe('prices of tools that providers run', () => {
  test.each([
    ['claude-opus-4-6', { web_search: 10, code_execution: 0 }],
    ['gpt-4o', { web_search: 25, code_execution: 0, file_search: 2.5 }],
    ['gpt-4o-mini-2024', { web_search: 30, code_execution: 0, file_search: 2.5 }],
    ['gpt-5', { web_search: 10, code_execution: 0, file_search: 2.5 }],
  ])('of %s: the longest beginning wins', (model, prices) => {
    expect(toolPricesOf(model, maps)).toEqual(prices);
  });

  test('runs without a price, and none, are no charge', () => {
    expect(toolCharges({ web_search: 2, maps: 1, file_search: 0 }, { web_search: 10, file_search: 2.5 })).toEqual([
      { kind: 'web_search', calls: 2, price: 10 },
    ]);
  });

  const prices = { web_search: 5, web_search_medium: 8, web_search_high: 12 };

  test.each([
    [{ web_search: 2 }, {}, { web_search: 2 }],
    [{ web_search: 2 }, { web_search: ['high' as const] }, { web_search_high: 2 }],
    [{ web_search: 2 }, { web_search: ['medium' as const, 'high' as const] }, { web_search_high: 2 }],
    // Without a price of its own it is charged as any other.
    [{ web_search: 2, mcp: 1 }, { web_search: ['preview' as const] }, { web_search: 2, mcp: 1 }],
  ])('%j, asked for by %j, are charged as %j', (calls, variants, runs) => {
    expect(pricedRuns(calls, prices, variants)).toEqual(runs);
  });

  test('a variant whose price is gone costs what its kind does', () => {
    expect(toolCharges({ web_search_preview: 2 }, prices)).toEqual([{ kind: 'web_search_preview', calls: 2, price: 5 }]);
  });

  test('they are added to the tokens before rounding, at the group’s ratio, and have a line of their own', () => {
    const tools = [{ kind: 'web_search' as const, calls: 3, price: 2.5 }];
    const cost = costWithTools({ promptTokens: 101, completionTokens: 0 }, price, { groupRatio: 0.5, quotaPerUnit: 500_000, tools });
    // 101 × 0.5 × 0.5 = 25.25, and 3 × 0.0025 × 500,000 × 0.5 = 1875
    expect(cost.quota).toBe(1901);
    expect(cost.receipt()).toMatchObject({
      subtotal: '101',
      tools: [{ kind: 'web_search', calls: 3, price: 2.5, amount: '1875' }],
      exact: '1900.25',
      rounding: '0.75',
      quota: 1901,
    });
  });

  test('they cost their price where the model has one per call, or nothing was told of tokens', () => {
    const tools = [{ kind: 'web_search' as const, calls: 1, price: 10 }];
    const terms = { groupRatio: 1, quotaPerUnit: 500_000, tools };
    expect(costWithTools({ promptTokens: 1, completionTokens: 1 }, { kind: 'call', modelPrice: 0.01 }, terms).quota).toBe(10_000);
    expect(costWithTools({ promptTokens: 0, completionTokens: 0 }, price, terms).quota).toBe(5000);
  });
});

test('a name is a tool, or a tool with the beginning of a model behind it', () => {
  for (const name of ['web_search', 'web_search_preview:gpt-4o*', 'web_search:vendor/x:free*', 'maps'])
    expect([name, isToolPriceName(name)]).toEqual([name, true]);
  for (const name of ['web_serch', 'web_search:', 'web_search:*', 'web_search:gpt-4o', 'gpt-4o', ':gpt*'])
    expect([name, isToolPriceName(name)]).toEqual([name, false]);
  expect(toolPricesOf('vendor/x:free-1', { web_search: 10, 'web_search:vendor/x:free*': 0 })).toMatchObject({ web_search: 0 });
  expect(toolPricesOf('fast', { web_search: 10, 'web_search:ft:x*': 0 })).toMatchObject({ web_search: 10 });
});

test('a stray name is not entered, and loses nothing where it is stored', () => {
  const text = '{"web_search":7,"web_serch":1}';
  expect(settingProblem('ToolPrice', text)).toMatchObject({ code: 'option_entry_unknown', details: { name: 'web_serch' } });
  expect(settings.ToolPrice.parse(text, 'ToolPrice')).toMatchObject({ ok: true, value: { web_search: 7 } });
});
