import { describe, expect, test } from 'vitest';
import { Channel } from '#shared/channels.ts';
import {
  needsKeyAgain,
  changedFields,
  channelProblems,
  copyBody,
  editBody,
  emptyValues,
  endsInVersion,
  fieldsOf,
  keysOf,
  valuesOf,
} from './channel-values.ts';

const channel = Channel.parse({
  id: 9,
  type: 3,
  name: 'azure-eastus2',
  key: '',
  openai_organization: '',
  test_model: '',
  status: 3,
  weight: 20,
  priority: 8,
  created_time: 1,
  test_time: 0,
  response_time: 0,
  base_url: 'https://eastus2.example.com',
  other: '2024-12-01-preview',
  balance: 0,
  balance_updated_time: 0,
  models: 'gpt-4o,gpt-4o-mini',
  group: 'default,vip',
  groups: ['default', 'vip'],
  used_quota: 12,
  model_mapping: '{"gpt-4o":"gpt4o"}',
  status_code_mapping: '',
  setting: '',
  param_override: '',
  other_info: '',
  auto_ban: 1,
  tag: 'azure',
  max_input_tokens: 0,
  revision: 4,
});

describe('channel form', () => {
  test('an edit sends what was changed, the id and the revision, and nothing else', () => {
    const values = { ...valuesOf(channel), weight: 10, models: ['gpt-4o'] };
    expect(editBody(channel, values, 4)).toEqual({ id: 9, revision: 4, weight: 10, models: 'gpt-4o' });
  });

  test('an untouched key is not sent, a typed one is', () => {
    expect(editBody(channel, valuesOf(channel), 4)).toEqual({ id: 9, revision: 4 });
    expect(editBody(channel, { ...valuesOf(channel), key: '  ' }, 4)).toEqual({ id: 9, revision: 4 });
    expect(editBody(channel, { ...valuesOf(channel), key: ' sk-new ' }, 4)).toEqual({ id: 9, revision: 4, key: 'sk-new' });
  });

  test('a switch is sent as 0 or 1, an emptied tag as an empty text', () => {
    expect(editBody(channel, { ...valuesOf(channel), auto_ban: false, tag: '' }, 4)).toEqual({ id: 9, revision: 4, auto_ban: 0, tag: '' });
  });

  test('one key per line, blank and doubled lines do not count', () => {
    expect(keysOf('a\n\n b \r\na\rc')).toEqual(['a', 'b', 'c']);
    expect(fieldsOf({ ...emptyValues, key: 'a\n\nb' }).key).toBe('a\nb');
  });

  test('trailing slashes of the address are cut', () => {
    expect(fieldsOf({ ...emptyValues, base_url: ' https://api.example.com// ' }).base_url).toBe('https://api.example.com');
  });

  test('an address that ends in /v1 is asked about, but not a full one of the custom type', () => {
    expect(endsInVersion({ type: 1, base_url: 'https://api.example.com/v1/' })).toBe(true);
    expect(endsInVersion({ type: 1, base_url: 'https://api.example.com/v1beta' })).toBe(false);
    expect(endsInVersion({ type: 8, base_url: 'https://api.example.com/v1' })).toBe(false);
  });

  test('what a new channel lacks is said at its field', () => {
    expect(channelProblems(emptyValues, { isNew: true })).toEqual({
      name: 'name_required',
      key: 'key_required',
      models: 'models_required',
    });
    const custom = { ...emptyValues, type: 8, name: 'own', key: 'k', models: ['m'] };
    expect(channelProblems(custom, { isNew: true })).toEqual({ base_url: 'base_url_required' });
    expect(channelProblems({ ...custom, base_url: 'ftp://host' }, { isNew: true })).toEqual({ base_url: 'base_url_scheme' });
  });

  test('an edit takes one key and refuses broken JSON and odd numbers', () => {
    const values = { ...valuesOf(channel), key: 'a\nb', model_mapping: '{', setting: '[', priority: -1000, weight: '' as const };
    expect(channelProblems(values, { isNew: false })).toEqual({
      key: 'one_key',
      model_mapping: 'mapping_json',
      setting: 'json',
      priority: 'priority',
      weight: 'weight_empty',
    });
    expect(channelProblems({ ...valuesOf(channel), priority: -999, weight: 0 }, { isNew: false })).toEqual({});
  });

  test('a copy takes the key over and does not start enabled when its model is not', () => {
    const body = copyBody(channel, 'azure-eastus2_copy');
    expect(body).toMatchObject({
      name: 'azure-eastus2_copy',
      copy_from: 9,
      status: 2,
      models: 'gpt-4o,gpt-4o-mini',
      groups: ['default', 'vip'],
    });
    expect('key' in body).toBe(false);
    expect('id' in body).toBe(false);
  });

  test('the order of models and groups is part of what they are', () => {
    expect(changedFields(valuesOf(channel), { ...valuesOf(channel), groups: ['vip', 'default'] })).toEqual(['groups']);
    expect(changedFields(valuesOf(channel), valuesOf(channel))).toEqual([]);
  });

  test('a new address asks for the key again, but not the super admin', () => {
    const before = valuesOf(channel);
    const moved = { ...before, base_url: 'https://elsewhere.example.com' };
    expect(needsKeyAgain(before, moved, 10)).toBe(true);
    expect(needsKeyAgain(before, moved, 100)).toBe(false);
    expect(needsKeyAgain(before, { ...before, name: 'other' }, 10)).toBe(false);
    expect(needsKeyAgain(undefined, moved, 10)).toBe(false);
    expect(channelProblems(moved, { isNew: false, needsKey: true })).toEqual({ key: 'key_again' });
    expect(channelProblems({ ...moved, key: 'sk-entered' }, { isNew: false, needsKey: true })).toEqual({});
  });
});

test('channel form: an empty number is called empty, not a wrong number', () => {
  const empty = { ...emptyValues, name: 'a', key: 'sk', models: ['m'], priority: '', weight: '', max_input_tokens: '' } as const;
  expect(channelProblems({ ...empty, models: ['m'] }, { isNew: true })).toEqual({
    priority: 'priority_empty',
    weight: 'weight_empty',
    max_input_tokens: 'tokens_empty',
  });
});
