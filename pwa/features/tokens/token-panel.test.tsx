import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildConsoleToken } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, holdChange, queueAnswers, sentChanges, startFixtureServer } from '#tests/support/console-server.ts';
import { NewTokenPanel } from './new-token-panel.tsx';
import { TokenPanel } from './token-panel.tsx';

const stored = buildConsoleToken();

let server: FixtureServer;
let screen: DrawnScreen;
let answers: object[];

beforeAll(async () => {
  await startScreenTexts('tokens', 'editing');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  answers = queueAnswers(server, (url) => (url.startsWith('/api/user/self/groups') ? {} : []));
});
afterEach(() => screen.leave());

const sent = () => sentChanges(server);

function open(token = stored): void {
  screen = drawScreen(<TokenPanel token={token} onClose={() => {}} onPrevious={undefined} onNext={undefined} onRemove={() => {}} />);
}

describe('token-panel', () => {
  test('saves what was changed, and is clean afterwards', async () => {
    open();
    answers.push({ success: true, message: '', data: { ...stored, name: 'laptop', revision: 4 } });
    await shows(() => screen.type('Name', 'laptop'));
    screen.press('Save');
    await shows(() => expect(sent()).toEqual([{ id: 5, name: 'laptop', revision: 3 }]));
    await shows(() => expect(screen.button('Save').disabled).toBe(true));
    expect(screen.field('Name').value).toBe('laptop');
  });

  test.each([
    ['another name', 'laptop of Mei'],
    ['the name of before', stored.name],
  ])('%s that is typed while a save is on its way is an edit of what was saved', async (_which, name) => {
    const answer = { success: true, message: '', data: { ...stored, name: 'laptop', revision: 4 } };
    const read = (url: string) => (url.startsWith('/api/user/self/groups') ? {} : []);
    const call = holdChange(server, { read, answer, later: { success: true, message: '', data: { ...stored, name, revision: 5 } } });
    open();
    await shows(() => screen.type('Name', 'laptop'));
    screen.press('Save');
    await shows(() => expect(call.isRequested()).toBe(true));
    screen.type('Name', name);
    call.release();
    await shows(() => expect(screen.button('Save').disabled).toBe(false));
    expect(screen.field('Name').value).toBe(name);
    screen.press('Save');
    await shows(() => expect(sent()[1]).toEqual({ id: 5, name, revision: 4 }));
    await shows(() => expect(screen.button('Save').disabled).toBe(true));
  });

  test('a file that manages the token decides all but the balance', async () => {
    open({ ...stored, unlimited_quota: false, managed_by: 'gateway/tokens.yaml', managed_left: ['key'] });
    await shows(() => expect(screen.field('Name').closest('fieldset')?.disabled).toBe(true));
    expect(screen.text()).toContain('gateway/tokens.yaml');
    expect(screen.field('Allowed IP addresses').closest('fieldset')?.disabled).toBe(true);
    for (const name of ['Delete', 'Disable']) expect(() => screen.button(name)).toThrow('no button');
    answers.push({ success: true, message: '', data: { ...stored, remain_quota: 1_000_000, revision: 4 } });
    await shows(() => screen.type('Quota', '2'));
    screen.press('Save');
    await shows(() => expect(sent()).toMatchObject([{ id: 5, remain_quota: 1_000_000 }]));
  });

  test('names who of the organisation has disabled the token and set its limits', async () => {
    const at = 1_790_000_000;
    const bounds = [
      { limit: 'models' as const, by: 'Mary', at },
      { limit: 'session_budget' as const, by: 'Mary', at },
      { limit: 'expiry' as const, by: 'Percy', at },
    ];
    open({ ...stored, status: 2, bounds, stopped: { by: 'Mary', at } });
    await shows(() => expect(screen.text()).toContain('Disabled by Mary'));
    expect(screen.text()).toContain('Set by Mary, can be narrowed: models, budget per session');
    expect(screen.text()).toContain('Set by Percy, can be narrowed: expiry');
  });

  test('a name is wanted', async () => {
    open();
    await shows(() => screen.type('Name', ' '));
    screen.press('Save');
    await shows(() => expect(screen.problem('Name')).not.toBe(''));
    expect(sent()).toEqual([]);
  });

  test('addresses are judged before anything is sent', async () => {
    open();
    await shows(() => screen.type('Allowed IP addresses', '10.0.0.1\n10.0.0.0/33'));
    screen.press('Save');
    await shows(() => expect(screen.problem('Allowed IP addresses')).toContain('10.0.0.0/8'));
    expect(sent()).toEqual([]);
  });

  test('a refusal stands at its field, or below the form when it is about none', async () => {
    open();
    answers.push({ success: false, message: 'not that name', code: 'invalid_field', field: 'name' });
    await shows(() => screen.type('Name', 'laptop'));
    screen.press('Save');
    await shows(() => expect(screen.problem('Name')).toBe('not that name'));
    expect(document.querySelector('[role=alert]')).toBeNull();

    answers.push({ success: false, message: 'too many tokens', code: 'refused' });
    screen.type('Name', 'desk');
    screen.press('Save');
    await shows(() => expect(document.querySelector('[role=alert]')?.textContent).toContain('too many tokens'));
  });

  test('what others changed is shown; dropping the own change leaves no trace of the refusal', async () => {
    open();
    answers.push({ success: false, message: 'changed', code: 'revision_conflict', data: { ...stored, name: 'theirs', revision: 9 } });
    await shows(() => screen.type('Name', 'laptop'));
    screen.press('Save');
    await shows(() => expect(document.querySelector('[role=alert]')?.textContent).toContain('theirs'));
    screen.press('Drop mine, load the latest');
    await shows(() => expect(screen.field('Name').value).toBe('theirs'));
    expect(document.querySelector('[role=alert]')).toBeNull();
  });

  test('what others changed stays when the own change is kept', async () => {
    open();
    answers.push({ success: false, message: 'changed', code: 'revision_conflict', data: { ...stored, group: 'vip', revision: 9 } });
    answers.push({ success: true, message: '', data: { ...stored, name: 'laptop', group: 'vip', revision: 10 } });
    await shows(() => screen.type('Name', 'laptop'));
    screen.press('Save');
    await shows(() => screen.press('Save my changes'));
    await shows(() => expect(sent().at(-1)).toEqual({ id: 5, name: 'laptop', revision: 9 }));
    await shows(() => expect(document.querySelector('[role=alert]')).toBeNull());
  });
});

describe('new-token-panel', () => {
  test('shows the key that was made, once', async () => {
    screen = drawScreen(<NewTokenPanel onClose={() => {}} />);
    answers.push({ success: true, message: '', data: [{ ...stored, key: 'thewholekey' }] });
    screen.type('Name', 'laptop');
    screen.press('Create token');
    await shows(() => expect(screen.text()).toContain('sk-thewholekey'));
    expect(sent()).toMatchObject([{ name: 'laptop' }]);
  });

  test('a refusal keeps what was typed', async () => {
    screen = drawScreen(<NewTokenPanel onClose={() => {}} />);
    answers.push({ success: false, message: 'too many tokens', code: 'refused' });
    screen.type('Name', 'laptop');
    screen.press('Create token');
    await shows(() => expect(document.querySelector('[role=alert]')?.textContent).toContain('too many tokens'));
    expect(screen.field('Name').value).toBe('laptop');
  });
});
