import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimalOf, decimalText, quotient } from '#shared/decimal.ts';
import { dollarText } from './dollar-text.ts';

test.each([
  [0, 500_000, '0'],
  [1, 500_000, '0.000002'],
  [1, 1_000_000, '0.000001'],
  [10_000_000, 500_000, '20'],
  [6_172_839, 500_000, '12.345678'],
  [Number.MAX_SAFE_INTEGER, 500_000, '18014398509.481983'],
  [1, 3, '0.333333333333'],
  [5, 0.5, '10'],
])('dollar-text: %d of %d to the dollar', (quota, perUnit, text) => {
  expect(dollarText(quota, perUnit)).toBe(text);
});

test('dollar-text: the fast way writes what exact decimals do', () => {
  const amounts = fc.oneof(fc.nat(), fc.maxSafeInteger().map(Math.abs));
  fc.assert(
    fc.property(amounts, fc.constantFrom(500_000, 1_000_000, 1, 7, 250, 0.5, 3_000_000), (quota, perUnit) => {
      expect(dollarText(quota, perUnit)).toBe(decimalText(decimalOf(quotient(decimalOf(quota), decimalOf(perUnit)))));
    }),
  );
});
