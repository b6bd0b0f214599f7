import { describe, expect, test } from 'vitest';
import { Log } from '#shared/logs.ts';
import { modelPattern } from './log-search.ts';
import { quickFilters } from './quick-filters.ts';

const log = Log.parse({
  id: 7,
  created_at: 1_768_464_000,
  type: 2,
  content: '',
  username: 'mei',
  token_name: 'Field notebook',
  model_name: 'gpt-4o',
  quota: 5,
  prompt_tokens: 1,
  completion_tokens: 1,
  use_time: 1,
  is_stream: false,
  channel: 3,
  channel_name: 'Harbour',
  token_id: 1,
  group: 'vip',
  other: '',
  ip: '',
  request_id: 'r-1',
  user_id: 4,
});
const keys = (options: Parameters<typeof quickFilters>[1], row = log) => quickFilters(row, options).map(({ key }) => key);

describe('filters of a row', () => {
  test('an administrator has all of them, others those of their own rows', () => {
    expect(keys({ search: {}, isAdmin: true })).toEqual(['model', 'token', 'user', 'channel', 'group', 'type', 'request']);
    expect(keys({ search: {}, isAdmin: false })).toEqual(['model', 'token', 'group', 'type', 'request']);
  });

  test('a model is that model and not what begins like it', () => {
    const [model] = quickFilters(log, { search: {}, isAdmin: false });
    expect(model?.change).toEqual({ model: '"gpt-4o"' });
    expect(modelPattern(model?.change.model)).toBe('gpt-4o');
  });

  test('what a row has not, or the list is filtered by already, is not offered', () => {
    const bare = { ...log, token_name: '', channel: 0, request_id: '', group: '', model_name: '' };
    expect(keys({ search: {}, isAdmin: true }, bare)).toEqual(['user', 'type']);
    expect(keys({ search: { user: 'mei', type: 2, channel: 4, model: 'gpt-4o' }, isAdmin: true })).toEqual([
      'model',
      'token',
      'channel',
      'group',
      'request',
    ]);
  });
});
