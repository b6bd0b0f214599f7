import 'fake-indexeddb/auto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { User } from '#shared/user.ts';
import { watchConnection } from '#pwa/offline/online-status.tsx';
import { discardAll, outboxEntries, startOutbox } from '#pwa/offline/outbox.ts';
import { buildConsoleUser } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { NameForm } from './name-form.tsx';
import { NoticeForm } from './notice-form.tsx';
import { PasswordForm } from './password-form.tsx';
import { TransferDialog } from './transfer-dialog.tsx';

let server: FixtureServer;
let screen: DrawnScreen;
let user: User;
/** What the server says instead of doing it. */
let refusal: object | undefined;
let stop: (() => void)[];
const done = { success: true, message: '' };

beforeAll(async () => {
  await startScreenTexts('personal', 'account');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  server.asked.length = 0;
  refusal = undefined;
  user = buildConsoleUser({ email: 'alice@example.org', aff_quota: 2_000_000 });
  server.answer(({ url, method }, response) => {
    if (method === 'GET' && url.startsWith('/api/user/notifications')) return sendJson(response, { ...done, data: [] });
    if (method === 'GET') return sendJson(response, { ...done, data: user });
    return sendJson(response, refusal ?? { ...done, data: user });
  });
  stop = [watchConnection(), startOutbox({ userId: () => user.id, onSent: () => {} })];
  await shows(() => expect(outboxEntries()).toEqual([]));
});
afterEach(async () => {
  screen.leave();
  await discardAll(user.id);
  for (const end of stop) end();
});

const sent = () => server.asked.filter(({ method }) => method !== 'GET').map(({ body }) => body);

describe('password-form', () => {
  function fill(old: string, wanted: string, again = wanted): void {
    screen = drawScreen(<PasswordForm username="alice" />);
    screen.type('Current password', old);
    screen.type('New password', wanted);
    screen.type('Confirm new password', again);
    screen.press('Change password');
  }

  test('sends the old and the new one, and forgets both', async () => {
    fill('old lantern', 'new lantern');
    await shows(() => expect(screen.text()).toContain('Password changed'));
    expect(sent()).toEqual([{ original_password: 'old lantern', password: 'new lantern' }]);
    expect(screen.field('Current password').value).toBe('');
    expect(screen.field('New password').value).toBe('');
  });

  test('says that an access token is gone with the former one', async () => {
    refusal = { success: true, message: 'The access token is gone' };
    fill('old lantern', 'new lantern');
    await shows(() => expect(screen.text()).toContain('The access token is gone'));
  });

  test.each([
    ['', 'new lantern', 'new lantern', 'Current password', 'Enter the current password'],
    ['old', 'short', 'short', 'New password', 'At least 8 characters'],
    ['old', 'x'.repeat(21), 'x'.repeat(21), 'New password', 'At most 20 characters'],
    ['old', 'new lantern', 'new lamp post', 'Confirm new password', "Passwords don't match"],
  ])('%j, %j, %j: said at %s, nothing is sent', (old, wanted, again, label, problem) => {
    fill(old, wanted, again);
    expect(screen.problem(label)).toBe(problem);
    expect(sent()).toEqual([]);
  });

  test('a wrong old one is said at its field; what was typed stays', async () => {
    refusal = { success: false, message: '原密码错误', code: 'current_password_wrong', field: 'original_password' };
    fill('wrong', 'new lantern');
    await shows(() => expect(screen.problem('Current password')).toBe('原密码错误'));
    expect(screen.field('New password').value).toBe('new lantern');
  });

  test('a refusal about no field is told all the same', async () => {
    refusal = { success: false, message: '请稍后再试', code: 'busy' };
    fill('old lantern', 'new lantern');
    await shows(() => expect(screen.text()).toContain('请稍后再试'));
  });
});

describe('name-form', () => {
  function rename(to: string): void {
    screen = drawScreen(<NameForm user={user} />);
    screen.type('Display name', to);
    screen.press('Save');
  }

  test('is saved without the blanks around it', async () => {
    rename('  Alice Liddell ');
    await shows(() => expect(screen.text()).toContain('Display name updated'));
    expect(sent()).toEqual([{ display_name: 'Alice Liddell' }]);
  });

  test.each([
    ['  ', 'Enter a display name'],
    ['x'.repeat(21), 'At most 20 characters'],
    ['Ali\u202Ece', 'Contains characters that are not allowed'],
  ])('%j is refused before anything is sent', (name, problem) => {
    rename(name);
    expect(screen.problem('Display name')).toBe(problem);
    expect(sent()).toEqual([]);
    screen.type('Display name', 'Alice');
    expect(screen.problem('Display name')).toBe('');
  });

  test('a refusal of the server stands at the field', async () => {
    refusal = { success: false, message: '名称已被占用', code: 'invalid_field', field: 'display_name' };
    rename('Bob');
    await shows(() => expect(screen.problem('Display name')).toBe('名称已被占用'));
  });

  test('with a server that is gone it waits, goes out by itself, and a second one takes its place', async () => {
    await server.stop();
    rename('Alice L.');
    await shows(() => expect(outboxEntries()).toMatchObject([{ optionKey: 'display_name', mine: 'Alice L.', base: { value: 'Alice' } }]));
    await shows(() => expect(screen.text()).toContain('“Alice L.” waiting to be sent'));
    screen.type('Display name', 'Alice M.');
    document.querySelector('form')?.requestSubmit();
    await shows(() => expect(outboxEntries()).toMatchObject([{ mine: 'Alice M.' }]));
    await server.start();
    window.dispatchEvent(new Event('online'));
    await shows(() => expect(outboxEntries()).toEqual([]));
    expect(sent().at(-1)).toEqual({ display_name: 'Alice M.', revision: 3 });
  });
});

describe('on a phone', () => {
  let answer: (() => void) | undefined;
  beforeEach(() => {
    const media = { matches: true, addEventListener: () => {}, removeEventListener: () => {} };
    vi.stubGlobal('matchMedia', () => media);
    answer = undefined;
    server.answer(({ method }, response) => {
      if (method === 'GET') return sendJson(response, { ...done, data: user });
      answer = () => sendJson(response, refusal ?? done);
    });
  });
  afterEach(() => void vi.unstubAllGlobals());
  /** The sheet is closed before the server has answered. */
  async function closeEarly(): Promise<void> {
    await shows(() => expect(answer).toBeDefined());
    document.querySelector<HTMLElement>('[role=dialog] [aria-label=Close]')?.click();
    await shows(() => expect(document.querySelector('[role=dialog]')).toBeNull());
    answer?.();
  }

  test('a refused name is told when its sheet is closed', async () => {
    refusal = { success: false, message: '名称已被占用', code: 'invalid_field', field: 'display_name' };
    screen = drawScreen(<NameForm user={user} />);
    screen.press('Edit display name');
    await shows(() => screen.type('Display name', 'Bob'));
    screen.press('Save');
    await closeEarly();
    await shows(() => expect(screen.text()).toContain('名称已被占用'));
  });

  test('a refused password is told when its sheet is closed', async () => {
    refusal = { success: false, message: '原密码错误', code: 'current_password_wrong', field: 'original_password' };
    screen = drawScreen(<PasswordForm username="alice" />);
    screen.press('Change password');
    await shows(() => screen.type('Current password', 'wrong'));
    screen.type('New password', 'new lantern');
    screen.type('Confirm new password', 'new lantern');
    [...document.querySelectorAll<HTMLButtonElement>('[role=dialog] button')].find(({ type }) => type === 'submit')?.click();
    await closeEarly();
    await shows(() => expect(screen.text()).toContain('原密码错误'));
  });
});

describe('notice-form', () => {
  const open = () => (screen = drawScreen(<NoticeForm user={user} />));
  const save = () => screen.press('Save');

  test('only what was changed is sent', async () => {
    open();
    expect(screen.text()).toContain('If left blank, alice@example.org is used.');
    screen.type('Notification e-mail', ' ops@example.org ');
    save();
    await shows(() => expect(sent()).toMatchObject([{ notification_email: 'ops@example.org' }]));
    expect(sent()[0]).not.toHaveProperty('notify_type');
  });

  test('an address that is none is said at its field', () => {
    open();
    screen.type('Notification e-mail', 'ops');
    save();
    expect(screen.problem('Notification e-mail')).toBe('Not a valid e-mail address');
    expect(sent()).toEqual([]);
  });

  test.each([
    ['', 'Enter the address of the webhook'],
    ['ftp://example.org/hook', 'The address must begin with https://'],
    ['example.org', 'The address must begin with https://'],
  ])('a webhook at %j is refused', async (url, problem) => {
    open();
    screen.press('Webhook');
    await shows(() => screen.type('Webhook URL', url));
    save();
    await shows(() => expect(screen.problem('Webhook URL')).toBe(problem));
    expect(sent()).toEqual([]);
  });

  test('a webhook goes out with its credential, which is then forgotten here', async () => {
    open();
    screen.press('Webhook');
    await shows(() => screen.type('Webhook URL', 'https://hooks.example.org/tide'));
    screen.type('Credential (optional)', 'bearer');
    save();
    await shows(() =>
      expect(sent()).toMatchObject([{ notify_type: 'webhook', webhook_url: 'https://hooks.example.org/tide', webhook_secret: 'bearer' }]),
    );
  });

  test('what the server refuses stands at its field', async () => {
    refusal = { success: false, message: '无效的邮箱地址', code: 'notification_email_invalid', field: 'notification_email' };
    open();
    screen.type('Notification e-mail', 'ops@example.org');
    save();
    await shows(() => expect(screen.problem('Notification e-mail')).toBe('无效的邮箱地址'));
  });
});

describe('transfer-dialog', () => {
  let closed = 0;
  const open = () => {
    closed = 0;
    screen = drawScreen(<TransferDialog user={user} minimum={500_000} onClose={() => (closed += 1)} />);
  };
  const label = 'Amount, $4.00 available';

  test('all of it is offered; the sums say what comes of it', () => {
    open();
    expect(screen.field(label).value).toBe('4');
    expect(screen.text()).toContain('$4.00 → $0.00');
    expect(screen.text()).toContain('$2.00 → $6.00');
    screen.type(label, '1.5');
    expect(screen.text()).toContain('$4.00 → $2.50');
    screen.press('All');
    expect(screen.field(label).value).toBe('4');
  });

  test.each([
    ['', 'Enter an amount'],
    ['0.5', 'At least $1.00'],
    ['4.01', 'At most $4.00'],
  ])('%j dollars are refused before anything is sent', (typed, problem) => {
    open();
    screen.type(label, typed);
    document.querySelector('form')?.requestSubmit();
    return shows(() => expect(screen.problem(label)).toBe(problem)).then(() => expect(sent()).toEqual([]));
  });

  test('a transfer whose answer was lost is the same transfer when it is tried again', async () => {
    let isLost = true;
    server.answer((_asked, response) => {
      if (isLost) response.destroy();
      else sendJson(response, { ...done, data: user });
    });
    open();
    screen.press('Transfer $4.00');
    await shows(() => expect(sent()).toHaveLength(1));
    isLost = false;
    await shows(() => expect(screen.button('Transfer $4.00').disabled).toBe(false));
    screen.press('Transfer $4.00');
    await shows(() => expect(closed).toBe(1));
    const [first, second] = sent() as { quota: number; ref: string }[];
    expect(second).toEqual(first);
    expect(first).toMatchObject({ quota: 2_000_000, ref: expect.stringMatching(/^\d+-\d+-\d+-2000000$/) });
  });

  test('what the server refuses stands at the amount, and the dialog stays', async () => {
    refusal = { success: false, message: '划转失败 邀请额度不足！', code: 'aff_transfer_unfunded', field: 'quota' };
    open();
    screen.press('Transfer $4.00');
    await shows(() => expect(screen.problem(label)).toBe('划转失败 邀请额度不足！'));
    expect(closed).toBe(0);
  });
});
