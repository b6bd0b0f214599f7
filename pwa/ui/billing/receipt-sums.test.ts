import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { amountInQuota, type ReceiptLine, receiptSums } from './receipt-sums.ts';

const quotaPerUnit = 500_000;
const stepsPerUnit = 2;

/** As the server charges: the exact sum, up to whole quota units. */
function chargeOf(lines: readonly ReceiptLine[], ratio: number): number {
  const exact = lines.reduce((sum, line) => sum + amountInQuota(line, quotaPerUnit), 0) * ratio;
  return Math.ceil(Number(exact.toFixed(6)));
}

describe('receipt-sums', () => {
  test('the receipt of the pattern: four lines, a group factor, rounded up', () => {
    const lines: ReceiptLine[] = [
      { name: 'input', quantity: 2148, price: 3 },
      { name: 'cache read', quantity: 12_288, price: 0.3 },
      { name: 'cache write', quantity: 3072, price: 3.75 },
      { name: 'output', quantity: 1536, price: 15 },
    ];
    const sums = receiptSums({ lines, factors: [{ name: 'vip', ratio: 0.8 }], charged: 17_877, quotaPerUnit, stepsPerUnit });
    expect(sums).toEqual({
      lines: [6444, 3686, 11_520, 23_040],
      subtotal: 44_690,
      factors: [-8938],
      rounding: 2,
      charge: 35_754,
      difference: 0,
    });
  });

  test('whatever a call used, the shown lines add up to the charge', () => {
    const line = fc.record({
      name: fc.constant('line'),
      quantity: fc.integer({ min: 0, max: 5_000_000 }),
      price: fc.double({ min: 0, max: 200, noNaN: true }),
    });
    const factor = fc.double({ min: 0, max: 20, noNaN: true });
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), factor, (lines, ratio) => {
        const sums = receiptSums({
          lines,
          factors: [{ name: 'group', ratio }],
          charged: chargeOf(lines, ratio),
          quotaPerUnit,
          stepsPerUnit,
        });
        expect(sums.difference).toBe(0);
        const shown = sums.lines.reduce((sum, amount) => sum + amount, 0);
        expect(shown).toBe(sums.subtotal);
        expect(sums.subtotal + sums.factors.reduce((sum, amount) => sum + amount, 0) + sums.rounding).toBe(sums.charge);
      }),
    );
  });

  test('the least charge of one unit is rounding', () => {
    const sums = receiptSums({ lines: [{ name: 'input', quantity: 0, price: 3 }], factors: [], charged: 1, quotaPerUnit, stepsPerUnit });
    expect(sums).toMatchObject({ rounding: 2, difference: 0, charge: 2 });
  });

  test('a charge that the lines do not explain is a difference, not rounding', () => {
    const lines = [{ name: 'input', quantity: 1_000_000, price: 3 }];
    const high = receiptSums({ lines, factors: [], charged: 1_600_000, quotaPerUnit, stepsPerUnit });
    expect(high).toMatchObject({ rounding: 0, difference: 200_000 });
    const low = receiptSums({ lines, factors: [], charged: 1_400_000, quotaPerUnit, stepsPerUnit });
    expect(low).toMatchObject({ rounding: 0, difference: -200_000 });
  });

  test('a price per call is counted by calls', () => {
    const sums = receiptSums({
      lines: [{ name: 'call', quantity: 1, price: 0.04, isPerCall: true }],
      factors: [],
      charged: 20_000,
      quotaPerUnit,
      stepsPerUnit,
    });
    expect(sums).toMatchObject({ lines: [40_000], rounding: 0, difference: 0 });
  });
});
