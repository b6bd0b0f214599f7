import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Redemption } from '#shared/redemptions.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, holdChange, queueAnswers, sentChanges, startFixtureServer } from '#tests/support/console-server.ts';
import { CodePanel } from './code-panel.tsx';
import { NewCodesPanel } from './new-codes-panel.tsx';

const stored: Redemption = {
  id: 9,
  user_id: 1,
  key: 'a1b2c3d4',
  status: 1,
  name: 'autumn',
  quota: 5_000_000,
  created_time: 1_770_000_000,
  redeemed_time: 0,
  expired_time: 0,
  used_user_id: 0,
  count: 0,
  DeletedAt: null,
  revision: 3,
};

let server: FixtureServer;
let screen: DrawnScreen;
let answers: object[];

beforeAll(async () => {
  await startScreenTexts('redemptions', 'editing');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  answers = queueAnswers(server, () => []);
});
afterEach(() => screen.leave());

const sent = () => sentChanges(server);
const alertText = () => document.querySelector('[role=alert]')?.textContent;
const buttons = () => [...document.querySelectorAll('button')].map((button) => button.textContent);

function open(code: Partial<Redemption> = {}): void {
  const whole = { ...stored, ...code };
  screen = drawScreen(<CodePanel code={whole} onClose={() => {}} onPrevious={undefined} onNext={undefined} onRemove={() => {}} />);
}

describe('code-panel', () => {
  test('saves what was changed and nothing else, and is clean afterwards', async () => {
    open();
    answers.push({ success: true, message: '', data: { ...stored, name: 'winter', revision: 4 } });
    await shows(() => screen.type('Name', ' winter '));
    screen.press('Save');
    await shows(() => expect(sent()).toEqual([{ id: 9, name: 'winter', revision: 3 }]));
    // While it is being saved the button is off as well.
    await shows(() => expect(screen.field('Name').value).toBe('winter'));
    expect(screen.button('Save').disabled).toBe(true);
  });

  test.each(['winter 2', 'autumn'])('%s, typed while a save is on its way, is an edit of what was saved', async (name) => {
    const answer = { success: true, message: '', data: { ...stored, name: 'winter', revision: 4 } };
    const call = holdChange(server, { read: () => [], answer, later: { ...answer, data: { ...stored, name, revision: 5 } } });
    open();
    await shows(() => screen.type('Name', 'winter'));
    screen.press('Save');
    await shows(() => expect(call.isRequested()).toBe(true));
    screen.type('Name', name);
    call.release();
    await shows(() => expect(screen.button('Save').disabled).toBe(false));
    screen.press('Save');
    await shows(() => expect(sent()[1]).toEqual({ id: 9, name, revision: 4 }));
  });

  test('there is nothing to save before something is typed, nor after it is taken back', async () => {
    open();
    await shows(() => expect(screen.button('Save').disabled).toBe(true));
    screen.type('Name', 'winter');
    expect(screen.button('Save').disabled).toBe(false);
    screen.type('Name', 'autumn');
    expect(screen.button('Save').disabled).toBe(true);
  });

  test.each([
    ['', 'The name must have 1 to 20 characters'],
    ['x'.repeat(21), 'The name must have 1 to 20 characters'],
  ])('a name of %j is refused before anything is sent', async (name, problem) => {
    open();
    await shows(() => screen.type('Name', name));
    screen.press('Save');
    await shows(() => expect(screen.problem('Name')).toBe(problem));
    expect(sent()).toEqual([]);
  });

  test('a code is worth something', async () => {
    open();
    await shows(() => screen.type('Quota', '0'));
    screen.press('Save');
    await shows(() => expect(screen.problem('Quota')).toBe('The quota must be above 0'));
    expect(sent()).toEqual([]);
  });

  test('a refusal stands at its field, or below the form when it is about none', async () => {
    open();
    answers.push({ success: false, message: '该兑换码名称不可用', code: 'invalid_field', field: 'name' });
    await shows(() => screen.type('Name', 'winter'));
    screen.press('Save');
    await shows(() => expect(screen.problem('Name')).toBe('该兑换码名称不可用'));
    answers.push({ success: false, message: '该兑换码已被使用', code: 'redemption_used' });
    screen.type('Name', 'spring');
    screen.press('Save');
    await shows(() => expect(alertText()).toContain('该兑换码已被使用'));
    expect(screen.field('Name').value).toBe('spring');
  });

  test('what somebody else saved is shown beside what was typed; both ways on lead on', async () => {
    open();
    const theirs = { ...stored, name: 'theirs', quota: 7_500_000, revision: 8 };
    answers.push({ success: false, message: 'changed', code: 'revision_conflict', data: theirs });
    answers.push({ success: true, message: '', data: { ...theirs, name: 'winter', revision: 9 } });
    await shows(() => screen.type('Name', 'winter'));
    screen.press('Save');
    await shows(() => expect(alertText()).toContain('yours: winter'));
    expect(alertText()).toContain('autumn → theirs');
    expect(alertText()).toContain('$10.00 → $15.00');
    screen.press('Save my changes');
    await shows(() => expect(sent().at(-1)).toEqual({ id: 9, name: 'winter', revision: 8 }));
    await shows(() => expect(document.querySelector('[role=alert]')).toBeNull());
  });

  test('theirs can be taken instead', async () => {
    open();
    answers.push({ success: false, message: 'changed', code: 'revision_conflict', data: { ...stored, name: 'theirs', revision: 8 } });
    await shows(() => screen.type('Name', 'winter'));
    screen.press('Save');
    await shows(() => screen.press('Drop mine, load the latest'));
    await shows(() => expect(screen.field('Name').value).toBe('theirs'));
    expect(screen.button('Save').disabled).toBe(true);
    expect(sent()).toHaveLength(1);
  });

  test('a used code is read only, a disabled one can only be enabled', async () => {
    open({ status: 3, used_user_id: 7, redeemed_time: 1_770_000_100 });
    await shows(() => expect(screen.text()).toContain('User 7'));
    screen.leave();
    open({ status: 3, used_user_id: 7, used_user_name: 'carol', user_name: 'keeper', redeemed_time: 1_770_000_100 });
    await shows(() => expect(screen.text()).toMatch(/Created by\s*keeper/));
    expect(screen.text()).toMatch(/Redeemed by\s*carol/);
    expect(buttons()).not.toContain('Save');
    expect(buttons()).not.toContain('Enable');
    screen.leave();
    open({ status: 2 });
    answers.push({ success: true, message: '', data: { ...stored, status: 1 } });
    expect(buttons()).not.toContain('Save');
    screen.press('Enable');
    await shows(() => expect(server.requested.at(-1)?.url).toContain('status_only'));
    expect(sent()[0]).toMatchObject({ id: 9, status: 1 });
  });

  test('a code whose key the server cannot read any more says so', async () => {
    open({ key: '' });
    await shows(() => expect(screen.text()).toContain('This code can no longer be read'));
  });
});

describe('new-codes-panel', () => {
  test('makes codes and shows every one of them', async () => {
    screen = drawScreen(<NewCodesPanel onClose={() => {}} />);
    answers.push({ success: true, message: '', data: ['aaa', 'bbb'] });
    screen.type('Name', 'autumn');
    screen.type('How many', '2');
    screen.press('Create codes');
    await shows(() => expect(screen.text()).toContain('2 codes created'));
    expect(sent()).toEqual([{ name: 'autumn', quota: 100_000, expired_time: 0, count: 2 }]);
    expect([...document.querySelectorAll('code')].map((code) => code.textContent)).toEqual(['aaa', 'bbb']);
    expect(buttons()).toEqual(expect.arrayContaining(['Download', 'Copy all', 'Done']));
  });

  test('without a name they are called after what they are worth', async () => {
    screen = drawScreen(<NewCodesPanel onClose={() => {}} />);
    answers.push({ success: true, message: '', data: ['aaa'] });
    screen.press('$50.00');
    screen.press('Create codes');
    await shows(() => expect(sent()).toMatchObject([{ name: '$50.00', quota: 25_000_000, count: 1 }]));
  });

  test.each(['0', '', '101'])('%j codes cannot be made', async (count) => {
    screen = drawScreen(<NewCodesPanel onClose={() => {}} />);
    screen.type('How many', count);
    screen.press('Create codes');
    await shows(() => expect(screen.problem('How many')).toBe('Enter a whole number from 1 to 100'));
    expect(sent()).toEqual([]);
  });

  test('a refusal keeps what was typed, at its field', async () => {
    screen = drawScreen(<NewCodesPanel onClose={() => {}} />);
    answers.push({ success: false, message: '过期时间必须晚于现在', code: 'redemption_expiry_past', field: 'name' });
    screen.type('Name', 'autumn');
    screen.press('Create codes');
    await shows(() => expect(screen.problem('Name')).toBe('过期时间必须晚于现在'));
    expect(screen.field('Name').value).toBe('autumn');
  });
});
