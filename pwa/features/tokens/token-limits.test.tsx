import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BudgetState } from '#shared/budget-states.ts';
import { Budget } from '#shared/budgets.ts';
import { buildConsoleToken } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, queueAnswers, sentChanges, startFixtureServer } from '#tests/support/console-server.ts';
import { TokenPanel } from './token-panel.tsx';

const usd = 500_000;
const day = Budget.parse({ id: 'd1', amount: 20 * usd, period: 'day', starts: 'calendar', at_end: 'stop' });
const stored = buildConsoleToken({ budgets: [day], rate_limits: [{ meter: 'requests', per: 'minute', amount: 600 }] });

let server: FixtureServer;
let screen: DrawnScreen;
let answers: object[];
let states: BudgetState[];

beforeAll(async () => {
  await startScreenTexts('tokens', 'editing', 'limits');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  states = [];
  answers = queueAnswers(server, (url) =>
    url.startsWith('/api/user/self/groups') ? {} : url.startsWith('/api/budget/?') ? states : url.startsWith('/api/budget/') ? page : [],
  );
});
afterEach(() => screen.leave());

const page = { items: [], total: 0, page: 1, page_size: 6 };
const sent = () => sentChanges(server);

function stateOf(change: Partial<BudgetState> = {}): BudgetState {
  const now = Math.floor(Date.now() / 1000);
  return {
    key: 'token:5:d1',
    scope: 'token',
    budget: day,
    amount: day.amount,
    left: 8 * usd,
    used: 12 * usd,
    calls: 40,
    refused: 0,
    starts_at: now - 43_200,
    ends_at: now + 43_200,
    is_editable: true,
    ...change,
  };
}

async function open(token = stored): Promise<void> {
  screen = drawScreen(<TokenPanel token={token} onClose={() => {}} onPrevious={undefined} onNext={undefined} onRemove={() => {}} />);
  await shows(() => screen.press('Limits'));
}

describe('token-limits', () => {
  test('a budget takes an amount and a save', async () => {
    await open(buildConsoleToken());
    screen.press('Add budget');
    screen.type('Amount', '25');
    answers.push({ success: true, message: '', data: { ...buildConsoleToken(), revision: 4 } });
    screen.press('Save');
    const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    const budget = { amount: 25 * usd, period: 'month', starts: 'calendar', time_zone: timeZone, at_end: 'stop' };
    await shows(() => expect(sent()).toMatchObject([{ id: 5, budgets: [budget], revision: 3 }]));
  });

  test('an edit of one list leaves the other alone, and counts on under the same id', async () => {
    await open();
    screen.press('Day');
    screen.type('Amount', '30');
    answers.push({ success: true, message: '', data: { ...stored, revision: 4 } });
    screen.press('Save');
    await shows(() => expect(sent()).toEqual([{ id: 5, budgets: [{ ...day, amount: 30 * usd }], revision: 3 }]));
  });

  test('what is missing is said at its field, and nothing is sent', async () => {
    await open();
    screen.press('Add rate limit');
    screen.press('Save');
    await shows(() => expect(screen.problem('Limit')).toBe('Enter an amount'));
    expect(sent()).toEqual([]);
    screen.type('Limit', '60');
    screen.press('Save');
    await shows(() => expect(screen.text()).toContain('There is such a limit already'));
    expect(sent()).toEqual([]);
  });

  test('a problem of the details is shown with them', async () => {
    await open();
    screen.press('Details');
    await shows(() => screen.type('Name', ' '));
    screen.press('Limits');
    await shows(() => screen.button('Add budget'));
    screen.press('Save');
    await shows(() => expect(screen.problem('Name')).not.toBe(''));
  });

  test.each([
    ['an administrator holds', { held: ['budgets' as const, 'rate_limits' as const] }, 'Set by an administrator'],
    ['a file manages', { managed_by: 'gateway/tokens.yaml', managed_left: [] }, 'gateway/tokens.yaml'],
  ])('limits that %s are read-only, with the reason', async (_who, change, reason) => {
    states = [stateOf()];
    await open({ ...stored, ...change });
    await shows(() => expect(screen.text()).toContain('$8.00 of $20.00'));
    expect(screen.text()).toContain(reason);
    for (const name of ['Add budget', 'Add rate limit', 'Requests per minute']) expect(() => screen.button(name)).toThrow('no button');
    screen.press('Day');
    expect(() => screen.button('Remove budget')).toThrow('no button');
    screen.button('Raise for today…');
  });

  test('the button that removes a budget names it: the panel of a record may remove that as well', async () => {
    states = [stateOf()];
    await open();
    await shows(() => expect(screen.text()).toContain('$8.00 of $20.00'));
    screen.press('Day');
    screen.button('Remove budget');
    expect(() => screen.button('Remove')).toThrow('no button');
  });

  test('a budget that is used up says so first, with what the caller receives', async () => {
    states = [stateOf({ left: 0, used: 20 * usd, refused: 31 })];
    await open();
    await shows(() => expect(screen.text()).toContain('Budget used up: Day'));
    expect(screen.text()).toContain('31 calls refused so far');
    expect(screen.text()).toMatch(/HTTP 402\s*code: budget_reached\s*retry-after: 43\d\d\d/);
  });

  test('a budget of the site binds as well, and is not changed here', async () => {
    states = [stateOf({ scope: 'site', key: 'site:s:5', is_editable: false, budget: { ...day, name: 'Free tier', counted: 'user' } })];
    await open(buildConsoleToken());
    await shows(() => expect(screen.text()).toContain('Free tier'));
    screen.press('Free tier, site');
    expect(() => screen.button('Remove budget')).toThrow('no button');
    expect(() => screen.button('Raise for today…')).toThrow('no button');
  });

  test('a raise whose response was lost is sent again by the same name', async () => {
    states = [stateOf()];
    await open();
    await shows(() => expect(screen.text()).toContain('$8.00 of $20.00'));
    screen.press('Day');
    screen.press('Raise for today…');
    screen.type('Add', '5');
    answers.push({});
    screen.press('Add $5.00');
    await shows(() => expect(document.querySelector('dialog [role=alert]')).not.toBeNull());
    answers.push({ success: true, message: '', data: stateOf({ left: 13 * usd, amount: 25 * usd }) });
    screen.press('Add $5.00');
    await shows(() => expect(screen.text()).toContain('Raised: $13.00 left'));
    expect(sent()).toHaveLength(2);
    expect(sent()[0]).toEqual(sent()[1]);
    expect(sent()[0]).toMatchObject({ key: 'token:5:d1', amount: 5 * usd });
  });

  test('what others made of the limits is compared in words', async () => {
    await open();
    screen.press('Day');
    screen.type('Amount', '30');
    const theirs = { ...stored, budgets: [{ ...day, amount: 50 * usd }], revision: 9 };
    answers.push({ success: false, message: 'changed', code: 'revision_conflict', data: theirs });
    screen.press('Save');
    await shows(() => expect(document.querySelector('[role=alert]')?.textContent).toContain('Day $50.00, stops'));
    expect(document.querySelector('[role=alert]')?.textContent).toContain('Day $30.00, stops');
  });
});
