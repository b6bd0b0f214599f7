import 'fake-indexeddb/auto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { User } from '#shared/user.ts';
import { watchConnection } from '#pwa/offline/online-status.tsx';
import { discardAll, outboxEntries, startOutbox } from '#pwa/offline/outbox.ts';
import { buildConsoleUser } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { LowBalanceForm } from './low-balance-form.tsx';
import { NameForm } from './name-form.tsx';
import { NoticeForm } from './notice-form.tsx';
import { PasswordForm } from './password-form.tsx';
import { SaveBar } from './save-bar.tsx';
import { TransferDialog } from './transfer-dialog.tsx';
import { useOwnForm } from './use-own-form.ts';

let server: FixtureServer;
let screen: DrawnScreen;
let user: User;
/** What the server says instead of doing it. */
let refusal: object | undefined;
let stop: (() => void)[];
const done = { success: true, message: '' };

beforeAll(async () => {
  await startScreenTexts('personal', 'account', 'editing');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  server.requested.length = 0;
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
  for (const close of document.querySelectorAll<HTMLElement>('[role=status] [aria-label=Close]')) close.click();
  screen.leave();
  await discardAll(user.id);
  for (const end of stop) end();
});

const sent = () => server.requested.filter(({ method }) => method !== 'GET').map(({ body }) => body);

type Part = 'name' | 'mark' | 'notices' | 'password';

/** Parts of the screen, which are saved by one button. */
function Fields({ parts }: { parts: readonly Part[] }) {
  const form = useOwnForm(user);
  return (
    <>
      {parts.includes('password') && <PasswordForm username="alice" />}
      {parts.includes('name') && <NameForm form={form} />}
      {parts.includes('mark') && <LowBalanceForm user={user} form={form} />}
      {parts.includes('notices') && <NoticeForm user={user} form={form} />}
      <SaveBar form={form} />
    </>
  );
}

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
    screen = drawScreen(<Fields parts={['name']} />);
    screen.type('Display name', to);
    screen.press('Save');
  }

  test('is saved without the blanks around it', async () => {
    rename('  Alice Liddell ');
    await shows(() => expect(screen.text()).toContain('Changes saved'));
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
    await shows(() => expect(screen.button('Save').disabled).toBe(false));
    // As Enter does.
    screen.field('Display name').form?.requestSubmit();
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
  const open = () => (screen = drawScreen(<Fields parts={['notices']} />));
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

describe('one save', () => {
  const open = (...others: Part[]) => (screen = drawScreen(<Fields parts={['name', 'mark', 'notices', ...others]} />));
  const saves = () => [...document.querySelectorAll('button')].filter(({ textContent }) => textContent === 'Save');
  function edit(...others: Part[]): void {
    open(...others);
    expect(saves()).toHaveLength(0);
    screen.type('Display name', 'Alice L.');
    screen.type('Notification e-mail', 'ops@example.org');
    screen.press('$1.00');
    expect(screen.text()).toContain('3 unsaved changes');
    expect(saves()).toHaveLength(1);
  }
  const notices = { quota_warning_threshold: 500_000, notification_email: 'ops@example.org' };

  type Call = 'settings' | 'name';
  /** Both calls are done, or one of them is refused for a reason that may belong to a field. */
  function answerEach(refused?: Call, field?: string): void {
    server.answer(({ method, url, body }, response) => {
      if (method !== 'PUT') return sendJson(response, { ...done, data: url.startsWith('/api/user/notifications') ? [] : user });
      const { display_name: name } = body as { display_name?: string };
      const requested: Call = name === undefined ? 'settings' : 'name';
      if (requested === refused) return sendJson(response, { success: false, message: 'The tide is out', code: 'invalid_field', field });
      user =
        name === undefined ? { ...user, setting: JSON.stringify(notices), revision: user.revision + 1 } : { ...user, display_name: name };
      sendJson(response, { ...done, data: requested === 'settings' ? user : undefined });
    });
  }

  test('appears once something is changed, saves name, alert and notices, and goes', async () => {
    answerEach();
    edit();
    screen.press('Save');
    await shows(() => expect(screen.text()).toContain('Changes saved'));
    expect(sent()).toEqual([{ ...notices, revision: 3 }, { display_name: 'Alice L.' }]);
    expect(saves()).toHaveLength(0);
  });

  test('a refused field is marked and has the focus, until it is corrected and saved', async () => {
    answerEach('settings', 'notification_email');
    edit();
    screen.press('Save');
    await shows(() => expect(document.activeElement).toBe(screen.field('Notification e-mail')));
    await shows(() => expect(screen.text()).toContain('2 unsaved changes'));
    expect(screen.problem('Notification e-mail')).toBe('The tide is out');
    expect(screen.field('Warn me below').value).toContain('1');
    // Work on another field is not interrupted.
    screen.field('Display name').focus();
    screen.type('Display name', 'Alice M.');
    screen.type('Display name', 'Alice L.');
    expect(document.activeElement).toBe(screen.field('Display name'));
    answerEach();
    screen.type('Notification e-mail', 'ops@example.com');
    expect(screen.problem('Notification e-mail')).toBe('');
    await shows(() => expect(screen.button('Save').disabled).toBe(false));
    screen.press('Save');
    await shows(() => expect(screen.text()).toContain('Changes saved'));
    expect(sent().at(-1)).toMatchObject({ ...notices, notification_email: 'ops@example.com' });
  });

  test.each([
    ['name', 'display_name', 'Display name', '1 unsaved change'],
    ['settings', 'notification_email', 'Notification e-mail', '2 unsaved changes'],
  ] as const)(
    'what a refused call of %s carried stays, marked at its field; the other call goes through',
    async (refused, field, label, left) => {
      answerEach(refused, field);
      edit();
      screen.press('Save');
      await shows(() => expect(screen.problem(label)).toBe('The tide is out'));
      await shows(() => expect(screen.text()).toContain(left));
      expect(sent()).toHaveLength(2);
      expect(screen.field('Display name').value).toBe('Alice L.');
      expect(screen.field('Notification e-mail').value).toBe('ops@example.org');
      expect(screen.text()).not.toContain('Changes saved');
    },
  );

  test.each([
    ['name', 'Display name not saved: The tide is out', '1 unsaved change'],
    ['settings', 'Settings not saved: The tide is out', '2 unsaved changes'],
  ] as const)('a refusal of %s about no field says what was not saved', async (refused, message, left) => {
    answerEach(refused);
    edit();
    screen.press('Save');
    await shows(() => expect(screen.text()).toContain(message));
    await shows(() => expect(screen.text()).toContain(left));
    expect(screen.text()).not.toContain('Changes saved');
  });

  test('changes are discarded at once', () => {
    edit();
    screen.press('Discard changes');
    expect(screen.field('Display name').value).toBe('Alice');
    expect(screen.field('Notification e-mail').value).toBe('');
    expect(saves()).toHaveLength(0);
    expect(sent()).toEqual([]);
  });

  test('the password is a form of its own', () => {
    edit('password');
    const password = screen.field('Current password').form;
    expect(password).not.toBeNull();
    expect(password?.textContent).not.toContain('Display name');
    expect(screen.button('Change password').form).toBe(password);
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
