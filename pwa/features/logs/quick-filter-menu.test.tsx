import { afterEach, beforeAll, expect, test } from 'vitest';
import { Log } from '#shared/logs.ts';
import { type DrawnScreen, drawScreen, startScreenTexts } from '#tests/support/console-screen.tsx';
import { QuickFilterSection } from './quick-filter-menu.tsx';

const session = { id: 'ses-1', key: 'a1b2' };
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
  other: JSON.stringify({ session }),
  ip: '',
  request_id: 'r-1',
  user_id: 4,
});

let screen: DrawnScreen;
beforeAll(() => startScreenTexts('logs'));
afterEach(() => screen.leave());

test('filters of a row: each says in words what it is about', () => {
  screen = drawScreen(<QuickFilterSection log={log} search={{}} isAdmin onFilter={() => undefined} />);
  const names = [...document.querySelectorAll('li')].map((item) => item.textContent?.split(': ')[0]);
  expect(names).toEqual(['Model', 'Token', 'User', 'Channel', 'Group', 'Type', 'Session', 'This request']);
});
