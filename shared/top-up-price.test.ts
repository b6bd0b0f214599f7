import { describe, expect, it } from 'vitest';
import { centsOf, centsText, smallestTopUp, topUpCents, topUpQuota, topUpRatio, type TopUpTerms } from './top-up-price.ts';

const terms: TopUpTerms = { inCurrency: true, quotaPerUnit: 500_000, price: 7.3, ratio: 0.95, minimum: 1 };
const inUnits: TopUpTerms = { ...terms, inCurrency: false };

describe('the price of a top-up', () => {
  it.each([
    [5, '34.68'],
    [10, '69.35'],
    [20, '138.70'],
    [100, '693.50'],
    [1, '6.94'],
  ])('of %i dollars is %s', (amount, money) => {
    expect(centsText(topUpCents(amount, terms) ?? -1)).toBe(money);
  });

  it('keeps fractions of a dollar when amounts are quota units', () => {
    expect(topUpCents(999_999, { ...inUnits, price: 1, ratio: 1 })).toBe(200);
    expect(topUpCents(750_000, inUnits)).toBe(1040);
    expect(topUpQuota(750_000, inUnits)).toBe(750_000);
    expect(topUpCents(1, inUnits)).toBe(0);
    expect(topUpCents(361, { ...inUnits, ratio: 1 })).toBe(1);
  });

  it('is exact where binary fractions are not', () => {
    expect(topUpCents(3, { ...terms, price: 0.1, ratio: 0.05 })).toBe(2);
    expect(topUpCents(1, { ...terms, price: 1.005, ratio: 1 })).toBe(101);
    expect(topUpCents(1_000_001, { ...terms, price: 0.07, ratio: 0.3 })).toBe(2_100_002);
  });

  it('has bounds', () => {
    expect(topUpCents(2 ** 53, terms)).toBeNull();
    expect(topUpCents(1e11, terms)).toBeNull();
    expect(topUpCents(1e9, { ...terms, price: 1e6 })).toBeNull();
    expect(smallestTopUp(terms)).toBe(1);
    expect(smallestTopUp({ ...inUnits, minimum: 3, quotaPerUnit: 333.4 })).toBe(1001);
    expect(topUpQuota(3, { ...terms, quotaPerUnit: 0.5 })).toBe(1);
  });

  it('a group without a ratio, or with one of 0, pays the full price', () => {
    expect(topUpRatio({ vip: 0.95, free: 0 }, 'vip')).toBe(0.95);
    expect(topUpRatio({ vip: 0.95, free: 0 }, 'free')).toBe(1);
    expect(topUpRatio({ vip: 0.95 }, 'other')).toBe(1);
  });

  it.each([
    ['138.70', 13_870],
    ['138.7', 13_870],
    ['138', 13_800],
    ['0.01', 1],
    ['138.7000', 13_870],
  ])('%s is read as %i cents', (text, cents) => expect(centsOf(text)).toBe(cents));

  it.each(['', '-1', '1e3', '1.005', '0x10', ' 1', '1,5', '1.', '.5', '9999999999', 'NaN', '1.00\n'])('%j is no price', (text) =>
    expect(centsOf(text)).toBeNull(),
  );
});
