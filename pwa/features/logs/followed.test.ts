import { expect, test } from 'vitest';
import type { Page } from '#shared/paging.ts';
import type { Log } from '#shared/logs.ts';
import { followed } from './followed.ts';

const row = (id: number, other = ''): Log => ({
  id,
  user_id: 1,
  created_at: 1000 + id,
  type: 2,
  content: '',
  username: 'mei',
  token_name: 'key',
  token_id: 1,
  model_name: 'gpt-4o',
  quota: 1,
  prompt_tokens: 1,
  completion_tokens: 1,
  use_time: 1,
  is_stream: false,
  channel: 0,
  channel_name: '',
  group: 'default',
  request_id: `r${id}`,
  other,
});
const page = (items: Log[], total = 40): Page<Log> => ({ items, total, page: 1, page_size: 3 });

test('followed: new rows come on top, those that were there stay the same objects', () => {
  const known = page([row(3), row(2), row(1)]);
  const { page: next, count } = followed(known, page([row(5), row(4), row(3)], 3));
  expect(count).toBe(2);
  expect(next.total).toBe(42);
  expect(next.items.map(({ id }) => id)).toEqual([5, 4, 3]);
  expect(next.items[2]).toBe(known.items[0]);
});

test('followed: a page without anything new is the page that was there', () => {
  const known = page([row(3), row(2)]);
  expect(followed(known, page([row(3), row(2)], 2)).page).toBe(known);
});

test('followed: a row that counts on is shown, and is no new one', () => {
  const { page: next, count } = followed(page([row(3, 'one'), row(2)]), page([row(3, 'two'), row(2)], 2));
  expect(count).toBe(0);
  expect(next.items[0]?.other).toBe('two');
});

test('followed: older rows that come up are not new', () => {
  expect(followed(page([row(9), row(8)]), page([row(9), row(1)], 2)).count).toBe(0);
});
