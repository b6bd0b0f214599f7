import { expect, test } from 'vitest';
import { TokenStatus } from '#shared/tokens.ts';
import { type OwnToken, tokenNotes } from './token-notes.ts';

const now = 1_795_000_000;
const day = 86_400;
const token = (name: string, fields: Partial<OwnToken> = {}): OwnToken => ({
  id: 1,
  user_id: 1,
  name,
  status: TokenStatus.enabled,
  created_time: 0,
  accessed_time: 0,
  expired_time: -1,
  remain_quota: 500,
  unlimited_quota: false,
  used_quota: 0,
  full_mark: 1000,
  model_limits_enabled: false,
  model_limits: '',
  allow_ips: '',
  group: '',
  DeletedAt: null,
  revision: 1,
  ...fields,
});

test('token-notes: what stopped comes first, and what nobody needs to know is left out', () => {
  const notes = tokenNotes(
    [
      token('fine'),
      token('endless', { unlimited_quota: true, remain_quota: 0 }),
      token('never granted', { full_mark: 0, remain_quota: 0 }),
      token('soon', { expired_time: now + 3 * day + 5 }),
      token('later', { expired_time: now + 30 * day }),
      token('low', { remain_quota: 99 }),
      token('over', { expired_time: now - day }),
      token('long over', { expired_time: now - 30 * day, remain_quota: 0 }),
      token('off', { status: TokenStatus.disabled, remain_quota: 0 }),
      token('empty', { remain_quota: 0 }),
      token('budget low', { tightest_budget: { left: 20, amount: 100, period: 'month', ends_at: now + day } }),
      token('budget ended', { tightest_budget: { left: 0, amount: 100, period: 'day', ends_at: now + 5 } }),
      token('budget of before', { tightest_budget: { left: 0, amount: 100, period: 'day', ends_at: now - 5 } }),
    ],
    now,
  );
  expect(notes.map(({ token: { name }, kind }) => `${name}: ${kind}`)).toEqual([
    'empty: empty',
    'budget ended: budget_empty',
    'low: low',
    'budget low: budget_low',
    'soon: expiring',
    'over: expired',
  ]);
  expect(notes[4]?.days).toBe(3);
});
