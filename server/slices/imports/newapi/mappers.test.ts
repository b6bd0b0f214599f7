import { describe, expect, it, test } from 'vitest';
import { createSecrets } from '#server/secrets/secrets.ts';
import type { SourceRow } from '../sources/source-database.ts';
import { mapChannel } from './map-channel.ts';
import { mapLog } from './map-log.ts';
import { mapToken } from './map-token.ts';
import { mapUser } from './map-user.ts';

const secrets = createSecrets('the master key of the mappers');
const groups = new Set(['default']);
const user = (row: SourceRow) => mapUser({ id: 5, username: 'anna', ...row }, { now: 7, secrets, groups, verifiesEmail: true });
const token = (row: SourceRow, program: 'one-api' | 'new-api' = 'new-api') =>
  mapToken({ id: 5, user_id: 2, key: 'a'.repeat(48), name: 'key', ...row }, { now: 7, secrets, program });
const channel = (row: SourceRow, program: 'one-api' | 'new-api' = 'new-api') =>
  mapChannel({ id: 5, type: 1, name: 'one', key: 'sk-1', models: 'm', ...row }, { now: 7, secrets, program });
const keysOf = (row: SourceRow, program?: 'one-api') =>
  keysIn(channel(row, program).draft).map((cipher) => secrets.decrypt(cipher, 'channel_key'));
const keysIn = (draft: ReturnType<typeof channel>['draft']) =>
  draft === null ? [] : draft.keys.length > 0 ? draft.keys.map((key) => key.key_cipher) : [draft.key_cipher];
const log = (row: SourceRow, program: 'one-api' | 'new-api' = 'new-api') => mapLog({ id: 5, type: 2, ...row }, { program }).draft;

describe('a user of new-api', () => {
  it.each([
    ['GitHub by its number', { github_id: '123' }, { github_subject: '123' }],
    ['an address', { email: 'A.b@Gmail.com' }, { email: 'A.b@Gmail.com', email_folded: 'ab@gmail.com' }],
    ['a padded access token', { access_token: 'abc   ' }, { access_token_hash: secrets.hash('abc'), access_token_time: 7 }],
    ['a guest', { role: 0 }, { role: 1 }],
    ['a status that is not known', { status: 9 }, { status: 2 }],
    [
      'JSON as bytes',
      { setting: Buffer.from('{"notify_type":"webhook","language":"zh-CN"}') },
      { setting: '{"notify_type":"webhook","language":"zh"}' },
    ],
    ['no creation time', { created_at: null }, { created_time: 7 }],
    ['texts for numbers', { quota: '12', used_quota: '3' }, { request_count: 0 }],
  ])('has %s', (_name, row, expected) => {
    expect(user(row).draft).toMatchObject(expected);
  });

  it('has no identity by a login name, and no webhook secret in the open', () => {
    const mapped = user({ github_id: 'octo', setting: '{"webhook_secret":"hush","bark_url":"x"}' });
    expect(mapped.draft).not.toHaveProperty('github_subject');
    expect(mapped.notes.map(({ reason, detail }) => detail ?? reason)).toEqual(expect.arrayContaining(['identity_by_name', 'bark_url']));
    expect(JSON.stringify(mapped)).not.toContain('hush');
  });

  it('is left out with its money when it is deleted, or its amount is none', () => {
    expect(user({ deleted_at: '2026-11-28 20:30:08+00:00', quota: 9 })).toMatchObject({
      draft: null,
      leftOut: { reason: 'deleted', quota: 9 },
    });
    expect(user({ status: 3, quota: -9 })).toMatchObject({ draft: null, money: { amount: -9 } });
    expect(() => user({ quota: 2n ** 60n })).toThrow('amount');
  });
});

describe('a token', () => {
  it.each([
    ['without a limit', { unlimited_quota: 1, remain_quota: -50, used_quota: 50 }, { amount: 0, used: 50 }],
    ['with one', { unlimited_quota: false, remain_quota: '7' }, { amount: 7, used: 0 }],
  ])('%s has the balance %o', (_name, row, money) => {
    expect(token(row).money).toEqual(money);
  });

  it.each([
    ['an exhausted one is judged by its balance', { status: 4 }, { status: 1 }],
    ['a disabled one stays so', { status: 2 }, { status: 2 }],
    ['an address that cannot be read disables it', { allow_ips: '10.0.0.0/8\nnowhere' }, { status: 2, allow_ips: '' }],
    ['addresses lose commas', { allow_ips: '10.0.0.1,\n10.0.0.2' }, { status: 1, allow_ips: '10.0.0.1\n10.0.0.2' }],
    [
      'a list that is not enabled stays off',
      { model_limits: 'a, b', model_limits_enabled: 0 },
      { model_limits_enabled: false, model_limits: 'a,b' },
    ],
    [
      'of group auto has groups of its own',
      { group: 'auto', auto_groups: '["a","b"]', cross_group_retry: 1 },
      { group: 'auto', auto_groups: 'a,b', cross_group_retry: true },
    ],
    ['sk- is no part of the key', { key: `sk-${'a'.repeat(48)}` }, { key_hash: secrets.hash('a'.repeat(48)) }],
  ])('%s', (_name, row, expected) => {
    expect(token(row).draft).toMatchObject(expected);
  });

  it('of one-api has ranges in a comma list, and models that limit it', () => {
    const draft = token({ subnet: '10.0.0.0/8,192.168.0.0/16', models: 'm1,m2' }, 'one-api').draft;
    expect(draft).toMatchObject({ allow_ips: '10.0.0.0/8\n192.168.0.0/16', model_limits_enabled: true, model_limits: 'm1,m2' });
    expect(token({ models: null }, 'one-api').draft).toMatchObject({ model_limits_enabled: false });
  });
});

describe('a channel', () => {
  it.each([
    ['one key', { key: 'sk-1' }, ['sk-1']],
    ['a key per line', { key: 'a\n\nb', channel_info: '{"is_multi_key":true}' }, ['a', 'b']],
    ['a list', { key: '["a","b"]', channel_info: Buffer.from('{"is_multi_key":true}') }, ['a', 'b']],
  ])('has %s', (_name, row, keys) => {
    expect(keysOf(row)).toEqual(keys);
  });

  it.each([
    [29, { type: 1, base_url: 'https://api.groq.com/openai' }],
    [36, { type: 43 }],
    [42, { type: 41 }],
    [14, { type: 14 }],
  ])('of the type %i of one-api gets the type here', (type, expected) => {
    expect(channel({ type }, 'one-api').draft).toMatchObject(expected);
  });

  it('of one-api has parts of its key in its configuration', () => {
    expect(keysOf({ type: 33, key: 'x', config: '{"ak":"AK","sk":"S","region":"us-east-1"}' }, 'one-api')).toEqual(['AK|S|us-east-1']);
    expect(channel({ type: 38 }, 'one-api')).toMatchObject({ draft: null, leftOut: { reason: 'type_unsupported' } });
  });

  it.each([
    ['a chain is followed', { model_mapping: '{"a":"b","b":"c"}' }, { model_mapping: '{"a":"c","b":"c"}' }],
    ['a circle ends', { model_mapping: '{"a":"b","b":"a"}' }, { model_mapping: '{"a":"b","b":"a"}' }],
    [
      'operations stay as they are',
      { param_override: '{"operations":[{"mode":"delete","path":"top_p"}]}' },
      { param_override: '{"operations":[{"mode":"delete","path":"top_p"}]}', status: 1 },
    ],
    [
      'unknown ones disable it',
      { param_override: '{"operations":[{"mode":"sync_fields","path":"a"}]}' },
      { param_override: '', status: 2 },
    ],
    [
      'a prompt of one-api is a setting',
      { system_prompt: 'Be brief.', remark: 'mine' },
      { setting: '{"system_prompt":"Be brief."}', remark: 'mine' },
    ],
    [
      'keys have states of their own',
      { key: 'a\nb', status: 1, channel_info: '{"is_multi_key":true,"multi_key_status_list":{"1":3}}' },
      { status: 1, keys: [expect.objectContaining({ status: 1 }), expect.objectContaining({ status: 3 })] },
    ],
    ['no JSON is dropped', { model_mapping: '{', setting: 'x' }, { model_mapping: '', setting: '', status: 1 }],
    ['an address with a password disables it', { base_url: 'https://user:pass@host' }, { status: 2 }],
    [
      'nulls have defaults',
      { weight: null, priority: null, auto_ban: null, group: null },
      { weight: 0, priority: 0, auto_ban: 1, group: 'default' },
    ],
    [
      'two settings become one',
      { setting: '{"proxy":"socks5://h:1"}', settings: '{"allow_speed":true}' },
      { setting: '{"proxy":"socks5://h:1","allow_surcharges":true}' },
    ],
  ])('%s', (_name, row, expected) => {
    expect(channel(row).draft).toMatchObject(expected);
  });
});

test.each([
  ['an error is a failed call', { type: 5, content: 'no', quota: 9 }, 'new-api', { type: 2, quota: 0, failed: 1 }],
  ['a refund reduces sums', { type: 6, quota: 9 }, 'new-api', { type: 4, quota: 0, refunded: 9 }],
  ['a test of a channel is one', { type: 5, quota: 9, elapsed_time: 1600 }, 'one-api', { type: 6, plain_type: 6, quota: 0, use_time: 2 }],
  [
    "Claude's cache is input",
    { prompt_tokens: 4, other: '{"usage_semantic":"anthropic","cache_tokens":10,"cache_creation_tokens":2}' },
    'new-api',
    { prompt_tokens: 16 },
  ],
] as const)('a row of the log: %s', (_name, row, program, expected) => {
  expect(log(row, program)).toMatchObject(expected);
});

test('a row of the log: a sign-in is left out', () => {
  expect(mapLog({ id: 1, type: 7 }, { program: 'new-api' })).toMatchObject({ draft: null, leftOut: { reason: 'log_kind' } });
});
