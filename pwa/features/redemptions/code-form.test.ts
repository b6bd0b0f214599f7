import { describe, expect, it } from 'vitest';
import type { Redemption } from '#shared/redemptions.ts';
import { isUnchanged } from '#pwa/records/use-edited-record.ts';
import { codeProblems, createBody, editBody, emptyCode, valuesOf } from './code-form.ts';
import { codeLines, maskCode, wholeCode } from './code-key.ts';

const now = 1_790_000_000;
const code: Redemption = {
  id: 7,
  user_id: 1,
  key: '0123456789abcdef0123456789abcdef',
  status: 1,
  name: 'gift',
  quota: 500_000,
  created_time: now - 100,
  redeemed_time: 0,
  expired_time: now - 10,
  used_user_id: 0,
  count: 0,
  DeletedAt: null,
  revision: 4,
};

describe('the form of a redemption code', () => {
  it('is fine as it opens, for a new code and for one that has expired since', () => {
    expect(codeProblems(emptyCode, { now })).toEqual({});
    expect(codeProblems(valuesOf(code), { now, before: code })).toEqual({});
  });

  it.each([
    [{ name: '海'.repeat(21) }, { name: 'name_length' }],
    [{ quota: '' as const }, { quota: 'quota_low' }],
    [{ quota: 0 }, { quota: 'quota_low' }],
    [{ count: '' as const }, { count: 'count_range' }],
    [{ count: 0 }, { count: 'count_range' }],
    [{ count: 101 }, { count: 'count_range' }],
    [{ expired_time: now }, { expired_time: 'expiry_past' }],
  ])('%j is wrong', (values, problems) => {
    expect(codeProblems({ ...emptyCode, ...values }, { now })).toEqual(problems);
  });

  it('a new code may be without a name, and is called after its quota; a stored one may not', () => {
    expect(createBody({ ...emptyCode, count: 3 }, '$0.20')).toEqual({ name: '$0.20', quota: 100_000, expired_time: 0, count: 3 });
    expect(codeProblems({ ...valuesOf(code), name: ' ' }, { now, before: code })).toEqual({ name: 'name_length' });
  });

  it('an edit sends what was changed, based on the record that was opened', () => {
    expect(isUnchanged(editBody(valuesOf(code), code))).toBe(true);
    expect(editBody({ ...valuesOf(code), name: ' other ', quota: 9 }, code)).toEqual({ id: 7, name: 'other', quota: 9, revision: 4 });
    expect(editBody({ ...valuesOf(code), expired_time: 0 }, code, 6)).toEqual({ id: 7, expired_time: 0, revision: 6 });
  });
});

describe('codes on this device', () => {
  it('are masked so that they tell apart and redeem nothing', () => {
    const masked = maskCode(code.key);
    expect(masked).toBe('0123**********cdef');
    expect(maskCode(masked)).toBe(masked);
    expect(wholeCode({ key: masked })).toBeUndefined();
    expect(wholeCode(code)).toBe(code.key);
  });

  it('are copied with their names, masks and unreadable ones left out', () => {
    expect(codeLines([code, { name: 'lost', key: '' }, { name: 'kept', key: maskCode(code.key) }])).toBe(`gift    ${code.key}`);
  });
});
