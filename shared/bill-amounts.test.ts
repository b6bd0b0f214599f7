import { describe, expect, test } from 'vitest';
import { amountOf, countOf, type DecimalSign, storedAmount } from '#shared/bill-amounts.ts';
import { decimalText } from '#shared/decimal.ts';

const read = (text: string, sign?: DecimalSign) => {
  const amount = amountOf(text, sign);
  return amount === undefined ? undefined : decimalText(amount);
};

describe('bill-amounts', () => {
  test.each([
    ['0.8958740000000000', '0.895874'],
    ['12', '12'],
    ['-0.005', '-0.005'],
    ['−1.5', '-1.5'],
    ['(1.50)', '-1.5'],
    ['1.50-', '-1.5'],
    ['$1,234.56', '1234.56'],
    ['-$0.07', '-0.07'],
    ['€ 3', '3'],
    ['1.2 USD', '1.2'],
    ['US$4.10', '4.1'],
    ['1.5e-05', '0.000015'],
    ['2E3', '2000'],
    ['.5', '0.5'],
    ["1'000.5", '1000.5'],
    ['0.1234567890123456789', '0.1234567890123456789'],
  ])('%s is %s', (text, amount) => {
    expect(read(text)).toBe(amount);
  });

  test.each([
    ['1.234,56', '1234.56'],
    ['1234,5', '1234.5'],
    ['-0,07 €', '-0.07'],
  ])('%s is %s with a decimal comma', (text, amount) => {
    expect(read(text, ',')).toBe(amount);
    expect(read(text)).toBeUndefined();
  });

  test.each(['', '-', '1.2.3', '1,23', '12,34,56.0', 'NaN', '=1+1', '0x10', '1e99', 'Infinity', '1 2,3', '<b>1</b>'])(
    '%s is no amount',
    (text) => {
      expect(read(text)).toBeUndefined();
    },
  );

  test('counts are whole and not negative', () => {
    expect(['260,580', '1.0', '-1', '1.5', '9007199254740993'].map((text) => countOf(text))).toEqual([
      260_580,
      1,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('stored texts read back', () => {
    for (const text of ['0', '-0.005', '1234.56']) expect(decimalText(storedAmount(text))).toBe(text);
  });
});
