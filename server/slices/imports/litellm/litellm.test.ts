import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { createSecrets } from '#server/secrets/secrets.ts';
import type { NamedNote } from '../program.ts';
import { objectOf } from '../sources/row-values.ts';
import { quotaOf, utcSeconds } from './dollars.ts';
import { openLiteLlm } from './litellm-program.ts';
import { mapLiteLlmKey } from './map-litellm-key.ts';
import { mapLiteLlmUser } from './map-litellm-user.ts';
import { mapSpendLog } from './map-spend-log.ts';
import { unseal } from './param-reader.ts';

const secrets = createSecrets('the master key of the mappers');
const quotaPerUnit = 500_000;

test.each([
  [6.782655, 3_391_328],
  [-0.001, -500],
  [0.000001, 1],
  [0, 0],
])('%f dollars are %i units', (dollars, quota) => {
  expect(quotaOf(dollars, quotaPerUnit)).toBe(quota);
});

test('a time without a zone is UTC', () => {
  expect(utcSeconds({ at: '2026-05-31 09:00:00.5' }, 'at')).toBe(Date.UTC(2026, 4, 31, 9) / 1000);
});

describe('a configuration of LiteLLM', () => {
  const open = async (environment: Record<string, string> = {}) => {
    const file = readFileSync(new URL('../../../../tests/support/imports/litellm-config.yaml', import.meta.url), 'utf8');
    const program = await openLiteLlm({ source: null, config: objectOf(parse(file)), environment, now: 7, secrets, quotaPerUnit });
    const rows = (await Array.fromAsync(program.pages('channel'))).flatMap((page) => page.rows);
    const find = (name: string) => rows.find((row) => row.oldId === name || row.name.startsWith(`${name} `));
    const settings = Object.fromEntries(program.settings.map(({ key, text }) => [key, JSON.parse(text) as unknown]));
    return { program, find, settings, notes: (await program.notes()) satisfies readonly NamedNote[] };
  };
  const keyOf = (row: Awaited<ReturnType<typeof open>>['find'] extends (name: string) => infer Row ? Row : never) =>
    row?.draft ? secrets.decrypt(row.draft.key_cipher, 'channel_key') : undefined;

  it('has a channel for each deployment, with the values of its environment', async () => {
    const { find } = await open({ OPENAI_API_KEY: 'sk-open', AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' });
    expect(find('gpt-4o-first')?.draft).toMatchObject({
      type: 1,
      status: 1,
      weight: 2,
      models: 'gpt-4o',
      model_mapping: '',
      openai_organization: 'org-invented',
    });
    expect(keyOf(find('gpt-4o-first'))).toBe('sk-open');
    expect(find('gpt-4o-second')?.draft).toMatchObject({ type: 1, base_url: 'https://proxy.invented.example', priority: -2 });
    expect(find('gpt-4o-mini')?.draft).toMatchObject({
      param_override: '{"temperature":0.2}',
      setting: '{"header_override":{"X-Team":"harbour"}}',
    });
    expect(keyOf(find('gpt-4o-mini'))).toBe('sk-open');
    expect(keyOf(find('claude'))).toBe('AKIDEXAMPLE|secret|us-east-1');
    expect(find('hear')?.draft).toMatchObject({
      base_url: 'https://api.groq.com/openai',
      model_mapping: '{"hear":"whisper-large-v3"}',
      status: 2,
    });
    expect(find('research-only')?.draft).toMatchObject({ type: 43, status: 2 });
    expect(find('*')).toMatchObject({ draft: null, leftOut: { reason: 'wildcard' } });
    expect(find('azure-entra')).toMatchObject({ draft: null });
  });

  it('has prices: its own, and those of the model behind a name', async () => {
    const { settings, notes } = await open();
    expect(settings['ModelRatio']).toMatchObject({ 'house-model': 0.25 });
    expect(settings['CompletionRatio']).toMatchObject({ 'house-model': 3 });
    expect(settings['CacheRatio']).toMatchObject({ 'house-model': 0.1 });
    expect(settings['LongInputPrice']).toMatchObject({ 'input>200000:house-model': 2, 'output>200000:house-model': 2 });
    expect(settings['ModelPrice']).toMatchObject({ picture: 0.04 });
    expect(settings['ModelRatio']).toMatchObject({ claude: 1.5, 'gemini-pro': 0.625 });
    expect(settings['RetryTimes']).toBe(2);
    expect(notes.map(({ name }) => name)).toEqual(expect.arrayContaining(['router_settings.fallbacks', 'guardrails', 'house-seconds']));
    expect(JSON.stringify(notes)).not.toContain('pk-invented');
  });
});

test('a user of LiteLLM: budget less spend, name by alias, address or id', () => {
  const taken = new Set<string>();
  const map = (row: Record<string, unknown>) => mapLiteLlmUser(row, { now: 7, quotaPerUnit }, taken);
  expect(map({ user_id: 'u1', user_alias: 'Bo', max_budget: 10, spend: 3.217345, user_role: 'proxy_admin' })).toMatchObject({
    name: 'Bo',
    money: { amount: 3_391_328, used: 1_608_673 },
    draft: { role: 10 },
  });
  expect(map({ user_id: 'u2', user_alias: 'bo', user_email: 'Bo@Example.com', spend: 1 })).toMatchObject({
    name: 'Bo@Example.com',
    money: { amount: 0 },
    draft: { unlimited_quota: true, email_folded: 'bo@example.com' },
  });
});

describe('a key of LiteLLM', () => {
  const mapping = {
    now: 7,
    quotaPerUnit,
    models: new Set(['gpt-4o', 'openai/a', 'openai/b']),
    accessGroups: new Map([['beta', ['house']]]),
    budgets: new Map([['gold', { budget_id: 'gold', max_budget: 5 }]]),
    teams: new Map([
      [
        't',
        {
          team_id: 't',
          models: ['gpt-4o'],
          members_with_roles: [
            { role: 'user', user_id: 'u' },
            { role: 'admin', user_id: 'a' },
          ],
        },
      ],
    ]),
    modelsOfUser: new Map([['u', ['gpt-4o']]]),
  };
  const key = (row: Record<string, unknown>) =>
    mapLiteLlmKey({ token: 'a'.repeat(64), key_name: 'sk-...wxyz', user_id: 'v', ...row }, mapping);

  it.each([
    ['without a budget has no limit', {}, { unlimited_quota: true, key_ending: 'wxyz', key_cipher: '' }],
    ['blocked is disabled', { blocked: true }, { status: 2 }],
    ['expires', { expires: '2026-05-31 09:00:00' }, { expired_time: Date.UTC(2026, 4, 31, 9) / 1000 }],
    [
      'of a team has its models and its administrator',
      { user_id: null, team_id: 't', models: ['all-team-models'] },
      { userRef: 'a', model_limits: 'gpt-4o' },
    ],
    ['has the models of its user', { user_id: 'u' }, { model_limits_enabled: true, model_limits: 'gpt-4o' }],
    ['has the models of a group and of a beginning', { models: ['beta', 'openai/*'] }, { model_limits: 'house,openai/a,openai/b' }],
    [
      'without models that exist is disabled rather than opened',
      { models: ['no-default-models'] },
      { status: 2, model_limits_enabled: false },
    ],
  ])('%s', (_name, row, expected) => {
    expect(key(row).draft).toMatchObject(expected);
  });

  it('has the budget of its record, and what was ever spent as used', () => {
    expect(key({ budget_id: 'gold', spend: 1, total_spend: 6.5 }).money).toEqual({ amount: 2_000_000, used: 3_250_000 });
  });

  it.each([
    [{ team_id: 'litellm-dashboard' }, 'console_session'],
    [{ key_type: 'management' }, 'key_kind'],
    [{ user_id: null }, 'owner_missing'],
  ])('%o is left out', (row, reason) => {
    expect(key(row)).toMatchObject({ draft: null, leftOut: { reason } });
  });
});

test('a row of the spend log', () => {
  const row = {
    request_id: 'r1',
    startTime: '2026-06-01 09:00:00.500',
    endTime: '2026-06-01 09:00:02.500',
    completionStartTime: '2026-06-01 09:00:01',
    spend: 0.001,
    model: 'azure/x',
    model_group: 'gpt-4o',
    status: 'failure',
    metadata: { error_information: { error_message: 'no' }, usage_object: { prompt_tokens_details: { cached_tokens: 3 } } },
  };
  expect(mapSpendLog(row, { quotaPerUnit }).draft).toMatchObject({
    quota: 500,
    failed: 1,
    model_name: 'gpt-4o',
    use_time: 2,
    other: { frt: 500, duration_ms: 2000, cache_tokens: 3, problem: 'no', upstream_model_name: 'azure/x' },
  });
});

test('a sealed text opens with its salt key alone', () => {
  const sealed = 'aptIi_5m0joCwQ4WzT77L1Uh6tPOiX7y2ygtYTAIb5ny_7Uy_rWJlbNDl74ZQbDg7cRdEqQ=';
  expect(unseal(sealed, 'sk-invented-salt-key-11')).toBe('openai/gpt-4o');
  expect(unseal(sealed, 'another')).toBeNull();
  expect(unseal(sealed, undefined)).toBeNull();
});
