import { expect, test } from 'vitest';
import { readPriceExpression } from './price-expression.ts';

test('a price expression: tiers by length become factors of one base price', () => {
  const text = 'v1:len <= 200000 ? tier("standard", p * 3 + c * 15 + cr * 0.3) : tier("long", p * 6 + c * 22.5 + cr * 0.6)';
  expect(readPriceExpression(text)).toEqual({
    base: { input: 3, output: 15, cacheRead: 0.3 },
    tiers: [{ input: 6, output: 22.5, cacheRead: 0.6, above: 200_000 }],
  });
  expect(readPriceExpression('tier("one", 2.5 * p + c * 10)')).toEqual({ base: { input: 2.5, output: 10 }, tiers: [] });
});

test.each([
  ['a factor by request', 'p * 3 + c * 15 ||| param("service_tier") == "flex" ? 0.5 : 1'],
  ['a function', 'hour() > 8 ? p * 3 : p * 6'],
  ['another condition', 'p > 100 ? tier("a", p * 3) : tier("b", p * 6)'],
  ['a constant', 'p * 3 + 5'],
  ['a kind twice', 'p * 3 + p * 2'],
  ['a cache that moves otherwise than the input', 'len <= 10 ? tier("a", p * 3 + c * 1 + cr * 1) : tier("b", p * 6 + c * 1 + cr * 1)'],
  ['no input', 'c * 3'],
  ['nothing', ''],
])('a price expression with %s has no counterpart', (_name, text) => {
  expect(readPriceExpression(text)).toBeNull();
});
