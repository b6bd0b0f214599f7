import { describe, expect, test } from 'vitest';
import { amountText, quotaLogText, quotaText } from '#shared/quota.ts';

const dollars = { inCurrency: true, quotaPerUnit: 500_000 };
const units = { inCurrency: false, quotaPerUnit: 500_000 };

describe('quota as text', () => {
  test('in logs and messages', () => {
    expect(quotaText(10_000, dollars)).toBe('＄0.020000');
    expect(quotaText(10_000, units)).toBe('10000');
    expect(quotaLogText(10_000, dollars)).toBe('＄0.020000 额度');
    expect(quotaLogText(10_000, units)).toBe('10000 点额度');
  });

  test.each([
    [2_500_000, '$5.00'],
    [0, '$0.00'],
    [1, '$0.000002'],
    [2_512_500, '$5.025'],
    [50_000_000_000, '$100000.00'],
  ])('of a budget: %i is %s, with no more decimals than it needs', (quota, text) => {
    expect(amountText(quota, dollars)).toBe(text);
    expect(amountText(quota, units)).toBe(String(quota));
  });
});
