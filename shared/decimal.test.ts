import fc from 'fast-check';
import { expect, test } from 'vitest';
import { add, ceiling, type Decimal, decimalOf, decimalText, digitsAt, multiply, one, subtract } from './decimal.ts';

const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 }),
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((cents) => cents / 100),
  fc.constantFrom(0, -0, 1e-7, 5e-324, 1e21, -1e21, 0.1, 123_456_789.123),
);
const decimals: fc.Arbitrary<Decimal> = fc.record({
  digits: fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
  scale: fc.nat({ max: 12 }),
});

/** The value times 10^40, which every value here has as a whole number. */
const units = (value: Decimal) => digitsAt(value, 40);

test('decimal: is exactly what a number is written as', () => {
  fc.assert(
    fc.property(numbers, (number) => {
      const text = decimalText(decimalOf(number));
      expect(text).not.toMatch(/e/i);
      expect(Number(text)).toBe(number === 0 ? 0 : number);
    }),
  );
  expect([0.1, 1e-7, 1e21, -0.5, 300, -0].map((number) => decimalText(decimalOf(number)))).toEqual([
    '0.1',
    '0.0000001',
    '1000000000000000000000',
    '-0.5',
    '300',
    '0',
  ]);
});

test.each([Number.NaN, Infinity, -Infinity])('decimal: %s is none', (number) => {
  expect(() => decimalOf(number)).toThrow(RangeError);
});

test('decimal: sums, differences and products are exact', () => {
  expect(decimalText(multiply(decimalOf(0.1), decimalOf(3)))).toBe('0.3');
  expect(decimalText(add(decimalOf(0.1), decimalOf(0.2)))).toBe('0.3');
  fc.assert(
    fc.property(decimals, decimals, (a, b) => {
      expect(units(add(a, b))).toBe(units(a) + units(b));
      expect(units(subtract(a, b))).toBe(units(a) - units(b));
      expect(units(multiply(a, b)) * 10n ** 40n).toBe(units(a) * units(b));
      expect(units(multiply(a, one))).toBe(units(a));
    }),
  );
});

test('decimal: the ceiling is the smallest whole number that is not below', () => {
  fc.assert(
    fc.property(
      decimals.filter(({ digits }) => digits >= 0n),
      (value) => {
        const whole = ceiling(value) * 10n ** 40n;
        expect(whole >= units(value)).toBe(true);
        expect(whole - 10n ** 40n < units(value)).toBe(true);
      },
    ),
  );
});

test('decimal: texts of equal values are equal, and read back they are the value', () => {
  fc.assert(
    fc.property(decimals, fc.nat({ max: 5 }), ({ digits, scale }, more) => {
      const text = decimalText({ digits, scale });
      expect(decimalText({ digits: digits * 10n ** BigInt(more), scale: scale + more })).toBe(text);
      const [whole = '', fraction = ''] = text.split('.');
      expect(units({ digits: BigInt(whole + fraction), scale: fraction.length })).toBe(units({ digits, scale }));
      expect(text).toMatch(/^-?\d+(?:\.\d*[1-9])?$/);
    }),
  );
});
