import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { buildOrganisation } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import type { Member } from '#shared/organisations.ts';
import { RemoveMemberDialog } from './remove-member-dialog.tsx';

const member: Member = {
  user_id: 7,
  username: 'mary',
  display_name: 'Mary',
  email: '',
  role: 'developer',
  team_id: 0,
  is_suspended: false,
  source: 'invite',
  joined_at: 0,
  tokens: 2,
  rate_limits: [],
  budgets: [],
  revision: 1,
};
const ben: Member = { ...member, user_id: 8, username: 'ben', display_name: 'Ben' };
const organisation = buildOrganisation({ id: 3, members: 3, tokens: 2 });

let server: FixtureServer;
let screen: DrawnScreen;

beforeAll(async () => {
  await startScreenTexts('organisations');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
afterEach(() => {
  screen.leave();
  server.requested.length = 0;
});

function open(): void {
  server.answer(({ method }, response) =>
    sendJson(response, {
      success: true,
      message: '',
      ...(method === 'DELETE' ? {} : { data: { page: 1, page_size: 100, total: 1, items: [ben] } }),
    }),
  );
  screen = drawScreen(<RemoveMemberDialog organisation={organisation} member={member} onClose={() => {}} onRemoved={() => {}} />);
}

/** Choices are in the page while the list is closed, too. */
function choose(label: string): void {
  screen.field('Keys').click();
  const found = [...document.querySelectorAll<HTMLElement>('[role="option"]')].find((one) => one.textContent === label);
  if (found === undefined) throw new Error(`no ${label} in: ${screen.text()}`);
  found.click();
}

const removals = () => server.requested.filter(({ method }) => method === 'DELETE').map(({ url }) => url);

test('a removal disables the keys unless another choice is made', async () => {
  open();
  expect(screen.text()).toContain('The keys stop at once.');
  screen.press('Remove member');
  await shows(() => expect(removals()).toEqual(['/api/organisation/3/members/7?keys=disable']));
});

test('keys that continue as those of service accounts have no budget of the member, and the dialog says so', async () => {
  open();
  choose('Keep as service accounts');
  await shows(() => expect(screen.text()).toContain("without the member's budget"));
  screen.press('Remove member');
  await shows(() => expect(removals()).toEqual(['/api/organisation/3/members/7?keys=keep']));
});

test('the member who takes keys over should renew them', async () => {
  open();
  await shows(() => choose('Hand over to Ben'));
  await shows(() => expect(screen.text()).toContain('Ben should renew them'));
  screen.press('Remove member');
  await shows(() => expect(removals()).toEqual(['/api/organisation/3/members/7?keys=keep&hand_over_to=8']));
});
