import { expect, test } from 'vitest';
import { buildConsoleToken } from '#tests/support/console-records.ts';
import { usableToken } from './usable-token.ts';

const token = (id: number, change: Partial<ReturnType<typeof buildConsoleToken>> = {}) =>
  buildConsoleToken({ id, name: `token ${id}`, key: `key${id}`, unlimited_quota: true, expired_time: -1, ...change });

test('the guide speaks of the token that was chosen, that called last, or that takes every model', () => {
  const narrow = token(3, { model_limits_enabled: true, model_limits: 'gpt-4o' });
  const tokens = [narrow, token(2), token(1)];
  expect(usableToken(tokens, 100)?.id).toBe(2);
  expect(usableToken(tokens, 100, { called: 'token 1' })?.id).toBe(1);
  expect(usableToken(tokens, 100, { called: 'token 1', chosen: 3 })?.id).toBe(3);
  expect(usableToken([narrow], 100, { called: 'gone' })?.id).toBe(3);
  expect(usableToken([token(5, { allow_ips: '10.0.0.0/8' }), token(4, { group: 'vip' }), token(3)], 100)?.id).toBe(3);
  // What no call can be made with is passed over.
  expect(usableToken([token(4, { expired_time: 99 }), token(2)], 100, { called: 'token 4' })?.id).toBe(2);
  expect(usableToken([token(4, { key: 'abc**********xyz' })], 100)).toBeUndefined();
});
