import { expect, test } from 'vitest';
import { type Token, TokenCreate, TokenEdit } from '#shared/tokens.ts';
import { isUnchanged } from '#pwa/records/use-edited-record.ts';
import { changesBetween, createBody, editBody, emptyToken, tokenProblems, valuesOf } from './token-form.ts';
import { chatAddress, maskKey, wholeKey } from '#pwa/api/token-key.ts';

const now = 1_795_000_000;
const token: Token = {
  id: 9,
  user_id: 1,
  key: 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL',
  name: 'prod-chat',
  status: 1,
  created_time: now - 5000,
  accessed_time: now,
  expired_time: now - 10,
  remain_quota: 700_000,
  unlimited_quota: false,
  used_quota: 300_000,
  full_mark: 1_000_000,
  model_limits_enabled: true,
  model_limits: 'gpt-4o,gpt-4o-mini',
  allow_ips: '10.0.0.0/8',
  group: 'vip',
  DeletedAt: null,
  revision: 4,
};

test('token form: an untouched form has nothing to save', () => {
  const body = editBody(valuesOf(token), token);
  expect(body).toEqual({ id: 9, revision: 4 });
  expect(isUnchanged(body)).toBe(true);
});

test('token form: a new balance goes out with what was used when it was entered, anything else without', () => {
  expect(editBody({ ...valuesOf(token), remain_quota: 5_000_000 }, token)).toEqual({
    id: 9,
    revision: 4,
    remain_quota: 5_000_000,
    used_quota: 300_000,
  });
  expect(editBody({ ...valuesOf(token), name: ' night ' }, token)).toEqual({ id: 9, revision: 4, name: 'night' });
});

test('token form: bodies are what the contract takes', () => {
  const edited = {
    ...valuesOf(token),
    remain_quota: 0,
    model_limits: ['gpt-4o'],
    allow_ips: ' 10.0.0.1 \n\n::1\n',
    expired_time: -1,
    unlimited_quota: true,
    group: '',
  };
  expect(TokenEdit.parse(editBody(edited, token, 7))).toEqual({
    id: 9,
    group: '',
    unlimited_quota: true,
    expired_time: -1,
    model_limits: 'gpt-4o',
    allow_ips: '10.0.0.1\n::1',
    remain_quota: 0,
    used_quota: 300_000,
    revision: 7,
  });
  expect(TokenCreate.parse(createBody({ ...emptyToken, name: ' a ', count: 20, unlimited_quota: true, remain_quota: '' }))).toMatchObject({
    name: 'a',
    count: 20,
    unlimited_quota: true,
    remain_quota: 0,
    expired_time: -1,
  });
  expect(createBody({ ...emptyToken, name: 'a' })).not.toHaveProperty('count');
});

test('token form: what is missing is named at its field', () => {
  expect(
    tokenProblems({ ...emptyToken, remain_quota: '', count: 101, expired_time: now - 1, model_limits_enabled: true }, { now }),
  ).toEqual({
    name: 'name_required',
    remain_quota: 'quota_required',
    expired_time: 'expiry_past',
    model_limits: 'models_required',
    count: 'count_range',
  });
  expect(tokenProblems({ ...emptyToken, name: 'a', count: '' }, { now })).toEqual({ count: 'count_required' });
  expect(tokenProblems({ ...emptyToken, name: '令'.repeat(31) }, { now })).toEqual({ name: 'name_long' });
});

test('token form: an expired or overdrawn token can be edited without touching that', () => {
  const overdrawn = { ...token, remain_quota: -20 };
  expect(tokenProblems(valuesOf(overdrawn), { now, before: overdrawn })).toEqual({});
  expect(tokenProblems({ ...valuesOf(overdrawn), remain_quota: -21 }, { now, before: overdrawn })).toEqual({
    remain_quota: 'quota_negative',
  });
});

test('token conflict: what calls have used is no change, what somebody granted is', () => {
  expect(changesBetween(token, { ...token, remain_quota: 650_000, used_quota: 350_000 })).toEqual([]);
  expect(changesBetween(token, { ...token, remain_quota: 1_650_000, used_quota: 350_000, name: 'x', revision: 5 })).toEqual([
    'name',
    'remain_quota',
  ]);
});

test('token key: a mask tells keys apart and cannot be mistaken for a key', () => {
  const mask = maskKey(token.key);
  expect(mask).toBe('abc**********JKL');
  expect(maskKey(mask)).toBe(mask);
  expect(wholeKey({ key: mask })).toBeUndefined();
  expect(wholeKey(token)).toBe(`sk-${token.key}`);
});

test('chat address: key and server take their places, scripts do not', () => {
  const given = { key: 'sk-1', address: 'https://gate.example/a b' };
  expect(chatAddress('https://chat.example/#/?settings={"key":"{key}","url":"{address}"}', given)).toBe(
    'https://chat.example/#/?settings={"key":"sk-1","url":"https%3A%2F%2Fgate.example%2Fa%20b"}',
  );
  for (const link of [' JavaScript:alert({key})', 'java\tscript:alert(1)', '\u0001javascript://x', '{address}', 'unheard://{key}'])
    expect(chatAddress(link, given)).toBeUndefined();
});
