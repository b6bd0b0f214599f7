import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Role } from '#shared/roles.ts';
import { buildConsoleUser } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, holdChange, queueAnswers, sentChanges, startFixtureServer } from '#tests/support/console-server.ts';
import { NewUserPanel } from './new-user-panel.tsx';
import { UserForm } from './user-form.tsx';

const stored = buildConsoleUser();

let server: FixtureServer;
let screen: DrawnScreen;
let closed: number;
let commands: string[];
let answers: object[];

beforeAll(async () => {
  await startScreenTexts('users', 'editing');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  closed = 0;
  commands = [];
  answers = queueAnswers(server, () => ['default', 'vip']);
});
afterEach(() => screen.leave());

const sent = () => sentChanges(server);

function openForm(user = stored): void {
  screen = drawScreen(
    <UserForm
      user={user}
      id={user.id}
      row={user}
      actor={{ role: Role.root }}
      busyId={undefined}
      onCommand={(command) => commands.push(command)}
      onClose={() => (closed += 1)}
      onPrevious={undefined}
      onNext={undefined}
    />,
  );
}

describe('user-form', () => {
  test('sends what was changed, and starts again from what was saved', async () => {
    openForm();
    answers.push({ success: true, message: '', data: { ...stored, display_name: 'Al', revision: 4 } });
    await shows(() => screen.type('Display name', 'Al'));
    expect(screen.text()).toContain('1 unsaved change');
    screen.press('Save');
    await shows(() => expect(sent()).toEqual([{ id: 7, revision: 3, display_name: 'Al' }]));
    await shows(() => expect(screen.text()).not.toContain('unsaved change'));
  });

  test('deletion is no button among the others, but in a menu', async () => {
    openForm();
    const names = () => [...document.querySelectorAll('aside button')].map((button) => button.textContent);
    await shows(() => expect(names()).toContain('Ban'));
    expect(names()).not.toContain('Delete permanently');
    screen.press(`More actions for ${stored.username}`);
    await shows(() => screen.press('Delete permanently'));
    expect(commands).toEqual(['delete']);
  });

  test('credit is added beside the balance, under one name until the outcome is known', async () => {
    openForm();
    await shows(() => screen.press('Add credit'));
    const dialog = () => document.querySelector('dialog');
    const confirm = () => [...(dialog()?.querySelectorAll('button') ?? [])].at(-1)?.click();
    confirm();
    await shows(() => expect(dialog()?.textContent).toContain('Enter an amount above zero'));
    expect(sent()).toEqual([]);
    screen.press('$5.00');
    screen.type('Reason', ' paid by invoice ');
    answers.push({ success: false, message: 'busy', code: 'bad_answer' });
    confirm();
    await shows(() => expect(sent()).toHaveLength(1));
    answers.push({ success: true, message: '', data: { ...stored, quota: stored.quota + 2_500_000, revision: 5 } });
    await shows(() => {
      confirm();
      expect(dialog()).toBeNull();
    });
    const [first, second] = sent();
    expect(first).toEqual({ id: 7, quota_change: 2_500_000, quota_ref: expect.any(String), quota_reason: 'paid by invoice' });
    expect(second).toEqual(first);
  });

  test('what is typed while a save is on its way is an edit of what was saved', async () => {
    const answer = { success: true, message: '', data: { ...stored, display_name: 'Al', quota: 3_500_000, revision: 4 } };
    const call = holdChange(server, { read: () => ['default', 'vip'], answer, later: { ...answer, data: { ...stored, revision: 5 } } });
    openForm();
    await shows(() => screen.type('Display name', 'Al'));
    screen.press('Add or take');
    screen.press('$5.00');
    screen.type('New password', 'a longer secret');
    screen.press('Save');
    await shows(() => expect(call.isRequested()).toBe(true));
    screen.type('Display name', 'Alma');
    screen.press('$10.00');
    call.release();
    await shows(() => expect(screen.text()).toContain('2 unsaved changes'));
    expect(screen.text()).toContain('After $17.00');
    screen.press('Save');
    await shows(() =>
      expect(sent()[1]).toEqual({ id: 7, revision: 4, display_name: 'Alma', quota_change: 5_000_000, quota_ref: expect.any(String) }),
    );
  });

  test('a balance that nothing was typed for during the save is not changed twice', async () => {
    const answer = { success: true, message: '', data: { ...stored, quota: 3_500_000, revision: 4 } };
    const call = holdChange(server, { read: () => ['default', 'vip'], answer, later: { ...answer, data: { ...stored, revision: 5 } } });
    openForm();
    await shows(() => screen.press('Add or take'));
    screen.press('$5.00');
    screen.press('Save');
    await shows(() => expect(call.isRequested()).toBe(true));
    screen.type('Display name', 'Alma');
    call.release();
    await shows(() => expect(screen.button('Save').disabled).toBe(false));
    screen.press('Save');
    await shows(() => expect(sent()[1]).toEqual({ id: 7, revision: 4, display_name: 'Alma' }));
  });

  test('a balance is raised by what was entered', async () => {
    openForm();
    answers.push({ success: true, message: '', data: { ...stored, quota: 3_500_000, revision: 4 } });
    await shows(() => screen.press('Add or take'));
    screen.press('$5.00');
    expect(screen.text()).toContain('After $7.00');
    screen.press('Save');
    await shows(() => expect(sent()).toEqual([{ id: 7, revision: 3, quota_change: 2_500_000, quota_ref: expect.any(String) }]));
  });

  test('a balance changes with its reason, and a reason alone is no change', async () => {
    openForm();
    answers.push({ success: true, message: '', data: { ...stored, quota: 3_500_000, revision: 4 } });
    await shows(() => screen.press('Add or take'));
    screen.type('Reason', ' refund of 14 May ');
    expect(screen.text()).not.toContain('unsaved change');
    screen.press('$5.00');
    screen.press('Save');
    await shows(() =>
      expect(sent()).toEqual([
        { id: 7, revision: 3, quota_change: 2_500_000, quota_ref: expect.any(String), quota_reason: 'refund of 14 May' },
      ]),
    );
  });

  test('a change whose answer was lost is sent again by the same name, a refused one and the next by another', async () => {
    openForm();
    answers.push(
      { success: true, message: '', data: 'no user' },
      { success: false, message: 'no', code: 'balance_too_large', field: 'quota_change' },
    );
    answers.push({ success: true, message: '', data: { ...stored, quota: 3_500_000, revision: 4 } });
    await shows(() => screen.press('Add or take'));
    screen.press('$5.00');
    for (const count of [1, 2, 3]) {
      await shows(() => expect(screen.button('Save').disabled).toBe(false));
      screen.press('Save');
      await shows(() => expect(sent()).toHaveLength(count));
    }
    const [lost, refused, next] = sent().map((body) => JSON.parse(JSON.stringify(body)).quota_ref);
    expect(lost).toMatch(/^[\w-]{8,64}$/);
    expect(refused).toBe(lost);
    expect(next).not.toBe(lost);
  });

  test('a balance does not go below nothing', async () => {
    openForm();
    await shows(() => screen.press('Add or take'));
    screen.type('Amount to add', '-3');
    screen.press('Save');
    await shows(() => expect(screen.problem('Amount to add')).toBe('The balance must not become negative'));
    expect(sent()).toEqual([]);
  });

  test('what the server says of a balance stands at the amount', async () => {
    openForm();
    answers.push({ success: false, message: 'not that much', code: 'balance_too_low' });
    await shows(() => screen.press('Add or take'));
    screen.type('Amount to add', '-1');
    screen.press('Save');
    await shows(() => expect(screen.problem('Amount to add')).toBe('not that much'));
  });

  test('what others changed is shown, and what was typed goes over it on request', async () => {
    openForm();
    answers.push({
      success: false,
      message: 'changed meanwhile',
      code: 'revision_conflict',
      data: { ...stored, display_name: 'Ally', group: 'vip', revision: 8 },
    });
    answers.push({ success: true, message: '', data: { ...stored, display_name: 'Al', group: 'vip', revision: 9 } });
    await shows(() => screen.type('Display name', 'Al'));
    screen.press('Save');
    await shows(() => expect(document.querySelector('[role=alert]')?.textContent).toContain('Ally'));
    screen.press('Save my changes');
    await shows(() => expect(sent().at(-1)).toEqual({ id: 7, revision: 8, display_name: 'Al' }));
    await shows(() => expect(document.querySelector('[role=alert]')).toBeNull());
  });

  test('a form without changes closes instead of saving', async () => {
    openForm();
    await shows(() => screen.field('Display name'));
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true, bubbles: true }));
    expect(closed).toBe(1);
    expect(sent()).toEqual([]);
  });
});

describe('new-user-panel', () => {
  const open = (): void => {
    screen = drawScreen(<NewUserPanel onClose={() => {}} onCreated={() => (closed += 1)} />);
  };

  test('wants a name and a password that is long enough', () => {
    open();
    screen.type('Password', 'short');
    screen.press('Create');
    expect(screen.problem('Username')).toBe('Enter a username');
    expect(screen.problem('Password')).toBe('At least 8 characters');
    expect(sent()).toEqual([]);
  });

  test('group and opening balance go with the account', async () => {
    open();
    answers.push({ success: true, message: '' });
    screen.type('Username', 'bob');
    screen.type('Password', 'long enough');
    screen.type('Opening balance', '5');
    screen.press('Create');
    await shows(() => expect(sent()).toEqual([{ username: 'bob', display_name: '', password: 'long enough', quota: 2_500_000 }]));
    await shows(() => expect(closed).toBe(1));
  });

  test('a name that is taken is told at the name; another one is created', async () => {
    open();
    answers.push({ success: false, message: 'taken', code: 'username_taken' }, { success: true, message: '' });
    screen.type('Username', ' bob ');
    screen.type('Password', 'long enough');
    screen.press('Create');
    await shows(() => expect(screen.problem('Username')).toBe('taken'));
    expect(closed).toBe(0);
    screen.type('Username', 'bob2');
    await shows(() => expect(screen.button('Create').disabled).toBe(false));
    screen.press('Create');
    await shows(() => expect(closed).toBe(1));
    expect(sent()).toEqual([
      { username: 'bob', display_name: '', password: 'long enough' },
      { username: 'bob2', display_name: '', password: 'long enough' },
    ]);
  });
});
