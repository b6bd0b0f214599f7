import { describe, expect, test } from 'vitest';
import { compactCount, formatQuota, parseQuota, quotaLogText, quotaText } from '#shared/quota.ts';

const dollars = { inCurrency: true, quotaPerUnit: 500_000 };
const units = { inCurrency: false, quotaPerUnit: 500_000 };

describe('quota as text', () => {
  test('dollars with two places, or units', () => {
    expect(formatQuota(10_000, dollars)).toBe('$0.02');
    expect(formatQuota(-750_000, dollars)).toBe('-$1.50');
    expect(formatQuota(-1, dollars)).toBe('$0.00');
    expect(formatQuota(123, dollars, 6)).toBe('$0.000246');
    expect(formatQuota(1_234_567, units)).toBe('1,234,567');
  });

  test('in logs and messages', () => {
    expect(quotaText(10_000, dollars)).toBe('＄0.020000');
    expect(quotaText(10_000, units)).toBe('10000');
    expect(quotaLogText(10_000, dollars)).toBe('＄0.020000 额度');
    expect(quotaLogText(10_000, units)).toBe('10000 点额度');
  });

  test.each([
    [0, '0'],
    [9999, '9999'],
    [10_000, '10.0k'],
    [999_949, '999.9k'],
    [999_999, '1.0M'],
    [1_500_000, '1.5M'],
    [999_999_999, '1.0B'],
    [2_000_000_000, '2.0B'],
  ])('%d is %s', (count, text) => {
    expect(compactCount(count)).toBe(text);
  });

  test.each([
    ['500000', 500_000],
    [' 500,000 ', 500_000],
    ['$1.5', 750_000],
    ['＄0.000002', 1],
    ['-5', null],
    ['1.5', null],
    ['1e9', null],
    ['99999999999999999', null],
    ['$99999999999999', null],
    ['', null],
  ])('reads %j', (text, quota) => {
    expect(parseQuota(text)).toBe(quota);
  });
});
