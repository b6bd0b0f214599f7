import { describe, expect, test } from 'vitest';
import { quotaLogText, quotaText } from '#shared/quota.ts';

const dollars = { inCurrency: true, quotaPerUnit: 500_000 };
const units = { inCurrency: false, quotaPerUnit: 500_000 };

describe('quota as text', () => {
  test('in logs and messages', () => {
    expect(quotaText(10_000, dollars)).toBe('＄0.020000');
    expect(quotaText(10_000, units)).toBe('10000');
    expect(quotaLogText(10_000, dollars)).toBe('＄0.020000 额度');
    expect(quotaLogText(10_000, units)).toBe('10000 点额度');
  });
});
