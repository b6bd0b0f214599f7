import { useRouter } from '@tanstack/react-router';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { buildOrganisation } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { TeamPart } from './teams-tab.tsx';

const organisation = buildOrganisation({ members: 1, tokens: 0 });

let server: FixtureServer;
let screen: DrawnScreen;
const visited: string[] = [];

beforeAll(async () => {
  await startScreenTexts('organisations', 'acting', 'editing', 'limits');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
afterEach(() => screen.leave());

/** Closing the panel changes the address, as it does on the screen. */
function Teams() {
  const { history } = useRouter();
  history.subscribe(({ location }) => visited.push(location.href));
  return <TeamPart organisation={organisation} search={{ open: 'new' }} onSearch={() => history.push('/closed')} manages />;
}

test('a team that was created is no unsaved edit: the panel closes', async () => {
  server.answer(({ method }, response) => {
    const team = { id: 3, name: 'Search', members: 0, tokens: 0, policy: {}, rate_limits: [], budgets: [], revision: 1 };
    sendJson(response, { success: true, message: '', data: method === 'POST' ? team : [] });
  });
  screen = drawScreen(<Teams />);
  screen.type('Name', 'Search');
  screen.press('New team');
  await shows(() => expect([...visited, screen.text()].join(' ')).toMatch(/\/closed|unsaved changes/));
  expect(visited).toEqual(['/closed']);
  expect(screen.text()).not.toContain('unsaved changes');
});

test('a team that was not created is one', async () => {
  server.answer((_request, response) => sendJson(response, { success: true, message: '', data: [] }));
  screen = drawScreen(<Teams />);
  screen.type('Name', 'Search');
  screen.press('Cancel');
  await shows(() => expect(screen.text()).toContain('unsaved changes'));
});
