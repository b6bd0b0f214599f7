import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BudgetState } from '#shared/budget-states.ts';
import { Budget } from '#shared/budgets.ts';
import type { OrganisationRole } from '#shared/organisation-roles.ts';
import type { Member } from '#shared/organisations.ts';
import { actFor } from '#pwa/api/acting.ts';
import { forgetUser, storeUser } from '#pwa/api/stored-user.ts';
import { buildConsoleUser, buildOrganisation } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, queueAnswers, startFixtureServer } from '#tests/support/console-server.ts';
import { BudgetCell } from './budget-cell.tsx';
import { MemberPanel } from './member-panel.tsx';

const usd = 500_000;
const daily = Budget.parse({ id: 'd1', amount: 5 * usd, period: 'day', starts: 'calendar', at_end: 'stop' });
const state: BudgetState = {
  key: 'member:3:d1',
  scope: 'member',
  budget: daily,
  amount: 5 * usd,
  left: 1.25 * usd,
  used: 3.75 * usd,
  calls: 4,
  refused: 0,
  starts_at: Math.floor(Date.now() / 1000) - 43_200,
  ends_at: Math.floor(Date.now() / 1000) + 43_200,
  is_editable: false,
};
const ivy: Member = {
  user_id: 7,
  username: 'ivy',
  display_name: '',
  email: '',
  role: 'developer',
  team_id: 0,
  is_suspended: false,
  source: 'invite',
  invited_email: 'ivy@example.org',
  joined_at: 1_790_000_000,
  tokens: 1,
  used_quota: 3.75 * usd,
  calls: 4,
  budgets: [daily],
  rate_limits: [],
  revision: 1,
};

let server: FixtureServer;
let screen: DrawnScreen;

beforeAll(async () => {
  await startScreenTexts('organisations', 'acting', 'editing', 'limits', 'audit');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requested.length = 0;
  storeUser(buildConsoleUser({ id: 7 }));
  actFor({ id: 5, name: 'Harbour Labs', role: 'developer' });
  queueAnswers(server, (url) => (url.startsWith('/api/budget/?') ? [state] : []));
});
afterEach(() => {
  screen.leave();
  actFor(null);
  forgetUser();
});

function open({ role, isSelf }: { role: OrganisationRole; isSelf: boolean }): void {
  const organisation = buildOrganisation({ role });
  screen = drawScreen(
    <MemberPanel
      organisation={organisation}
      member={ivy}
      teams={[]}
      isReadOnly={role === 'developer'}
      isSelf={isSelf}
      onSearch={() => {}}
      onClose={() => {}}
      onPrevious={undefined}
      onNext={undefined}
      onRemove={() => {}}
    />,
  );
}
const requests = (path: string) => server.requested.filter(({ url }) => url.startsWith(path));

describe('member-limits', () => {
  test('who manages sees what is left of the budgets of a member, not of the own account', async () => {
    open({ role: 'owner', isSelf: false });
    expect(screen.text()).toContain('ivy@example.org');
    await shows(() => screen.press('Limits'));
    await shows(() => expect(screen.text()).toContain('1.25'));
    expect(requests('/api/budget/').map(({ url }) => url)).toEqual(['/api/budget/?member_id=7']);
    expect(requests('/api/rate_limit/').map(({ url }) => url)).toEqual(['/api/rate_limit/?member_id=7']);
    expect(requests('/api/budget/')[0]?.headers['openai-organization']).toBe('org-5');
    expect(screen.text()).not.toContain('as of');
  });

  test('members see what is left of their own', async () => {
    open({ role: 'developer', isSelf: true });
    await shows(() => expect(screen.text()).toContain('1.25'));
  });

  test('without acting for the organisation nothing is requested, nor shown of the own account', async () => {
    actFor(null);
    open({ role: 'owner', isSelf: false });
    await shows(() => screen.press('Limits'));
    await shows(() => expect(screen.text()).toContain('per day'));
    expect(requests('/api/budget/')).toEqual([]);
    expect(screen.text()).not.toContain('1.25');
  });
});

describe('budget-cell', () => {
  const monthly: Budget = { ...daily, period: 'month' };
  test.each([
    [{ budgets: [monthly], used_quota: 5 * usd }, '0.00'],
    [{ budgets: [monthly] }, 'granted 5.00 per month'],
    [{ budgets: [daily], used_quota: 5 * usd }, 'granted 5.00 per day'],
    [{ budgets: [] }, 'no budget of its own'],
    [{}, ''],
  ])('of %j shows %j', (of, text) => {
    screen = drawScreen(
      <p id="cell">
        <BudgetCell name="ivy" of={of} />
      </p>,
    );
    // The document may have a message of a former test.
    const cell = document.querySelector('#cell')?.textContent;
    if (text === '') expect(cell).toBe('');
    else expect(cell).toContain(text);
  });
});
