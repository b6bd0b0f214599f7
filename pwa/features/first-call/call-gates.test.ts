import { expect, it } from 'vitest';
import type { GuidedCall, GuidedRefusal } from '#shared/first-call.ts';
import { arrivalOf } from './call-gates.ts';

const call: GuidedCall = {
  log_id: 1,
  request_id: 'r',
  at: 100,
  model: 'm',
  token_name: 't',
  is_answered: true,
  quota: 5,
  first_byte_ms: 1,
  duration_ms: 2,
  channel: null,
  status: 200,
  problem: '',
};
const refusal: GuidedRefusal = {
  request_id: 'q',
  at: 101,
  code: 'key_invalid',
  status: 401,
  model: '',
  ip: '192.0.2.1',
  token_name: null,
  key_tail: 'abc',
  key_length: 48,
};

it('call-gates: nothing came, and all wait', () => {
  const { kind, states } = arrivalOf({ call: null, refusal: null });
  expect(kind).toBe('waiting');
  expect(Object.values(states)).toEqual(['waiting', 'waiting', 'waiting', 'waiting']);
});

it('call-gates: an answered call passed all, also an older one after a later refusal was put right', () => {
  expect(arrivalOf({ call: { ...call, at: 102 }, refusal })).toMatchObject({ kind: 'done', states: { charged: 'passed' } });
  expect(arrivalOf({ call, refusal })).toMatchObject({ kind: 'refused', cause: 'key_unknown' });
});

it.each([
  ['key_invalid', 'key_unknown', { reached: 'passed', key: 'failed', channel: 'waiting' }],
  ['key_disabled', 'key_off', { key: 'failed' }],
  ['model_not_found', 'model_unknown', { key: 'passed', channel: 'failed', charged: 'waiting' }],
  ['model_price_error_admin', 'price', { channel: 'failed' }],
  ['insufficient_user_quota', 'user_quota', { key: 'passed', channel: 'waiting', charged: 'failed' }],
  ['something_new', 'other', { channel: 'failed' }],
])('call-gates: %s is stopped by %s', (code, cause, states) => {
  const status = code === 'something_new' ? 500 : 401;
  expect(arrivalOf({ call: null, refusal: { ...refusal, code, status } })).toMatchObject({ kind: 'refused', cause, states });
});

it('call-gates: a key that is too short was cut', () => {
  expect(arrivalOf({ call: null, refusal: { ...refusal, key_length: 47 } }).cause).toBe('key_cut');
});

it.each([
  [401, 'provider_key'],
  [404, 'provider_model'],
  [429, 'provider_busy'],
  [0, 'provider_unreachable'],
  [200, 'provider_unreadable'],
  [500, 'provider_failed'],
])('call-gates: a provider that answers %i', (status, cause) => {
  expect(arrivalOf({ call: { ...call, is_answered: false, status }, refusal: null })).toMatchObject({
    kind: 'refused',
    cause,
    door: 'channel',
    states: { key: 'passed', channel: 'failed' },
  });
});
