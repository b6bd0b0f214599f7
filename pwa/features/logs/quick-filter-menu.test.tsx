import { afterEach, beforeAll, expect, test } from 'vitest';
import { type DrawnScreen, drawScreen, startScreenTexts } from '#tests/support/console-screen.tsx';
import { buildLog } from '#tests/support/log-row.ts';
import { QuickFilterSection } from './quick-filter-menu.tsx';

const session = { id: 'ses-1', key: 'a1b2' };
const log = buildLog({ other: { session } });

let screen: DrawnScreen;
beforeAll(() => startScreenTexts('logs'));
afterEach(() => screen.leave());

test('filters of a row: each says in words what it is about', () => {
  screen = drawScreen(<QuickFilterSection log={log} search={{}} isAdmin onFilter={() => undefined} />);
  const names = [...document.querySelectorAll('li')].map((item) => item.textContent?.split(': ')[0]);
  expect(names).toEqual(['Model', 'Token', 'User', 'Channel', 'Group', 'Type', 'Session', 'This request']);
});
