import { describe, expect, test } from 'vitest';
import { emptyMany, manyBody, manyProblems, withPart } from './many-values.ts';

const values = { ...emptyMany, model_limits: ['sea-1', 'sea-2'], refill: 25, remain_quota: 40, expired_time: 2_000 };

describe('many-values', () => {
  test('what is not switched on is not sent', () => {
    expect(manyBody([1, 2], values)).toEqual({ ids: [1, 2] });
    expect(manyBody([1], { ...values, parts: ['refill'] })).toEqual({ ids: [1], refill: 25 });
    expect(manyBody([1], { ...values, parts: ['quota', 'models', 'expiry', 'group', 'ips', 'session_budget'] })).toEqual({
      ids: [1],
      unlimited_quota: false,
      remain_quota: 40,
      model_limits_enabled: true,
      model_limits: 'sea-1,sea-2',
      expired_time: 2_000,
      group: '',
      allow_ips: '',
      session_budget: 0,
    });
    expect(manyBody([1], { ...values, parts: ['quota'], unlimited_quota: true })).toEqual({ ids: [1], unlimited_quota: true });
    expect(manyBody([1], { ...values, parts: ['models'], model_limits_enabled: false })).toEqual({
      ids: [1],
      model_limits_enabled: false,
      model_limits: '',
    });
  });

  test('only what is switched on can be wrong', () => {
    const wrong = { ...emptyMany, remain_quota: '' as const, expired_time: 5, allow_ips: 'nowhere' };
    expect(manyProblems(wrong, 10)).toEqual({});
    expect(manyProblems({ ...wrong, parts: ['quota', 'expiry', 'ips', 'models'] }, 10)).toEqual({
      remain_quota: 'quota_required',
      expired_time: 'expiry_past',
      allow_ips: 'ips',
      model_limits: 'models_required',
    });
    expect(manyProblems({ ...wrong, parts: ['refill'] }, 10)).toEqual({ refill: 'refill_required' });
  });

  test('a balance is either set or added to', () => {
    expect(withPart(['quota', 'group'], 'refill', true)).toEqual(['group', 'refill']);
    expect(withPart(['refill', 'group'], 'quota', true)).toEqual(['group', 'quota']);
    expect(withPart(['refill', 'group'], 'refill', false)).toEqual(['group']);
  });
});
