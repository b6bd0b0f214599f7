import { createChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/web/sha';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { forgetUser, storedUser } from '#pwa/api/stored-user.ts';
import { buildConsoleUser, buildSiteStatus } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { LoginScreen } from './login-screen.tsx';
import { NewPasswordScreen } from './new-password-screen.tsx';
import { RegisterScreen } from './register-screen.tsx';
import { ResetScreen } from './reset-screen.tsx';

let server: FixtureServer;
let screen: DrawnScreen;
let entered: (string | undefined)[];
let answer: { body: object; status?: number; headers?: Record<string, string> };

beforeAll(async () => {
  await startScreenTexts('session', 'signin', 'register');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  localStorage.removeItem('user');
  server.requested.length = 0;
  entered = [];
  answer = { body: { success: true, message: '', data: buildConsoleUser() } };
  server.answer(({ method }, response) => {
    if (method === 'GET' && !server.requested.at(-1)?.url.startsWith('/api/reset_password'))
      return sendJson(response, { success: false, message: 'no status here' });
    return sendJson(response, answer.body, answer.status ?? 200, answer.headers ?? {});
  });
});
afterEach(() => screen.leave());

const sent = (path: string) => server.requested.filter(({ url }) => url.startsWith(path)).map(({ body }) => body);
const alertText = () => document.querySelector('[role=alert]')?.textContent ?? '';
const submit = () => document.querySelector('form')?.requestSubmit();

describe('login-screen', () => {
  function open(isExpired = false): void {
    screen = drawScreen(<LoginScreen isExpired={isExpired} from={undefined} onSignedIn={(route) => entered.push(route ?? 'password')} />);
  }
  function fill(username: string, password: string): void {
    screen.type('Username or e-mail', username);
    screen.type('Password', password);
    submit();
  }

  test('who is let in is stored on the device', async () => {
    open();
    fill(' alice ', ' lantern ');
    await shows(() => expect(entered).toEqual(['password']));
    // Blanks are part of a password, not of a name.
    expect(sent('/api/user/login')).toEqual([{ username: 'alice', password: ' lantern ' }]);
    expect(storedUser()).toMatchObject({ username: 'alice' });
  });

  test('what is missing is said at its field, which gets the focus', async () => {
    open();
    fill('', '');
    await shows(() => expect(screen.text()).toContain('Enter your username'));
    expect(screen.text()).toContain('Enter your password');
    expect(document.activeElement?.getAttribute('name')).toBe('username');
    fill('alice', '');
    await shows(() => expect(document.activeElement?.getAttribute('name')).toBe('password'));
    expect(sent('/api/user/login')).toEqual([]);
  });

  test('a refusal is told in the words of the server, nobody is stored, and the password stays to be mended', async () => {
    answer = { body: { success: false, message: '用户名或密码错误，或用户已被封禁', code: 'login_failed' } };
    open();
    fill('alice', 'wrong');
    await shows(() => expect(alertText()).toContain('用户名或密码错误'));
    expect(storedUser()).toBeNull();
    expect(entered).toEqual([]);
    expect(screen.field('Password').value).toBe('wrong');
  });

  test('too many tries: how long to wait is said', async () => {
    answer = { body: { success: false, message: 'x', code: 'login_locked' }, status: 429, headers: { 'retry-after': '42' } };
    open();
    fill('alice', 'wrong');
    await shows(() => expect(alertText()).toContain('42'));
  });

  test('too many tries of anybody: the browser solves the challenge and signs in', async () => {
    const challenge = await createChallenge({
      algorithm: 'SHA-256',
      cost: 3,
      counter: 40,
      deriveKey,
      data: { subject: 'of alice', until: 1 },
      hmacSignatureSecret: 'a secret',
      hmacKeySignatureSecret: 'another',
    });
    server.answer(({ method, body }, response) => {
      if (method === 'GET') return sendJson(response, { success: false, message: 'no status here' });
      const proof = Object(body).proof;
      if (proof === undefined) return sendJson(response, { success: false, message: 'x', code: 'login_locked', data: challenge }, 429, {});
      sendJson(response, { success: true, message: '', data: buildConsoleUser() });
    });
    open();
    fill('alice', 'lantern');
    await shows(() => expect(entered).toEqual(['password']));
    const proof: unknown = JSON.parse(atob(String(Object(sent('/api/user/login').at(-1)).proof)));
    expect(proof).toMatchObject({ challenge: { signature: challenge.signature }, solution: { counter: 40 } });
  });

  test('a session that ended is said to have ended', () => {
    open(true);
    expect(screen.text()).toContain('login has expired');
  });
});

describe('register-screen', () => {
  let registered = 0;
  function open(): void {
    registered = 0;
    screen = drawScreen(
      <RegisterScreen
        from={undefined}
        isInvited={false}
        onRegistered={() => (registered += 1)}
        onEntered={() => entered.push('elsewhere')}
      />,
    );
  }
  function fill(username: string, password: string, again = password): void {
    screen.type('Username', username);
    screen.type('Password', password);
    screen.type('Confirm password', again);
    submit();
  }

  test('sends the account, and only once both passwords are the same', async () => {
    answer = { body: { success: true, message: '' } };
    open();
    fill('alice', 'lantern and rope', 'lantern');
    await shows(() => expect(screen.problem('Confirm password')).not.toBe(''));
    expect(sent('/api/user/register')).toEqual([]);
    fill('alice', 'lantern and rope');
    await shows(() => expect(registered).toBe(1));
    expect(sent('/api/user/register')).toMatchObject([{ username: 'alice', password: 'lantern and rope' }]);
  });

  test('is signed in at once where the server has done so', async () => {
    answer = { body: { success: true, message: '', data: buildConsoleUser({ username: 'alice' }) } };
    open();
    entered.length = 0;
    fill('alice', 'lantern and rope');
    await shows(() => expect(entered).toEqual(['elsewhere']));
    expect(registered).toBe(0);
    expect(storedUser()?.username).toBe('alice');
    forgetUser();
  });

  test.each([
    ['x'.repeat(13), 'lantern and rope', 'Username'],
    ['', 'lantern and rope', 'Username'],
    ['alice', 'short', 'Password'],
    ['alice', 'x'.repeat(21), 'Password'],
  ])('%j with %j is refused at %s', async (username, password, label) => {
    open();
    fill(username, password);
    await shows(() => expect(screen.problem(label)).not.toBe(''));
    expect(sent('/api/user/register')).toEqual([]);
  });

  test('a name that is taken is said at the name', async () => {
    answer = { body: { success: false, message: '用户名已存在，或已注销', code: 'username_taken', field: 'username' } };
    open();
    fill('alice', 'lantern and rope');
    await shows(() => expect(screen.problem('Username')).toBe('用户名已存在，或已注销'));
    expect(registered).toBe(0);
  });

  test('a refusal about no field stands below the form', async () => {
    answer = { body: { success: false, message: '管理员关闭了新用户注册', code: 'registration_closed' } };
    open();
    fill('alice', 'lantern and rope');
    await shows(() => expect(screen.text()).toContain('管理员关闭了新用户注册'));
  });
});

describe('reset-screen', () => {
  test('asks for a mail once, then counts the seconds down', async () => {
    answer = { body: { success: true, message: '' } };
    screen = drawScreen(<ResetScreen />);
    screen.type('E-mail address', ' alice@example.org ');
    submit();
    await shows(() => expect(screen.text()).toContain('the mail is on its way'));
    const requested = server.requested.find(({ url }) => url.startsWith('/api/reset_password'));
    expect(new URLSearchParams(requested?.url.split('?')[1]).get('email')).toBe('alice@example.org');
    await shows(() => expect(screen.text()).toMatch(/Again in \d+ s/));
    const button = [...document.querySelectorAll('button')].find(({ type }) => type === 'submit');
    expect(button?.disabled).toBe(true);
  });

  test('where mails hold a code, it can be typed before and after one was sent', async () => {
    localStorage.setItem('status', JSON.stringify(buildSiteStatus({ server_address: 'http://localhost:3000' })));
    answer = { body: { success: true, message: '' } };
    screen = drawScreen(<ResetScreen />);
    const link = () => document.querySelector('a[href^="/user/reset"]')?.getAttribute('href');
    expect(link()).toBe('/user/reset?email=');
    screen.type('E-mail address', 'alice@example.org');
    submit();
    // The request of this test must not arrive in the next one.
    await shows(() => expect(screen.text()).toContain('the mail is on its way'));
    expect(link()).toBe('/user/reset?email=alice%40example.org');
    localStorage.removeItem('status');
  });

  test('without an address nothing is asked', async () => {
    screen = drawScreen(<ResetScreen />);
    submit();
    await shows(() => expect(screen.text()).toContain('Enter your e-mail address'));
    expect(sent('/api/reset_password')).toEqual([]);
  });

  test('asked too soon it says for how long to wait', async () => {
    answer = { body: { success: false, message: 'x', code: 'mail_too_soon' }, status: 429, headers: { 'retry-after': '37' } };
    screen = drawScreen(<ResetScreen />);
    screen.type('E-mail address', 'alice@example.org');
    submit();
    await shows(() => expect(screen.text()).toMatch(/Again in 3\d s/));
  });
});

describe('new-password-screen', () => {
  test('makes one, shows it and puts it into the clipboard', async () => {
    const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
    answer = { body: { success: true, message: '', data: 'Zx8-made-up' } };
    screen = drawScreen(<NewPasswordScreen email="alice@example.org" token="secret" />);
    expect(screen.text()).toContain('alice@example.org gets a new password');
    screen.press('Make a new password');
    await shows(() => expect(screen.text()).toContain('Zx8-made-up'));
    expect(sent('/api/user/reset')).toEqual([{ email: 'alice@example.org', token: 'secret' }]);
    expect(copied).toHaveBeenCalledWith('Zx8-made-up');
    copied.mockRestore();
  });

  test('is shown while the browser still asks whether it may be copied', async () => {
    const copied = vi.spyOn(navigator.clipboard, 'writeText').mockReturnValue(new Promise(() => {}));
    answer = { body: { success: true, message: '', data: 'Zx8-made-up' } };
    screen = drawScreen(<NewPasswordScreen email="alice@example.org" token="secret" />);
    screen.press('Make a new password');
    await shows(() => expect(screen.text()).toContain('Zx8-made-up'));
    copied.mockRestore();
  });

  test('a link that is too old leads to another one', async () => {
    answer = { body: { success: false, message: '重置链接非法或已过期', code: 'reset_link_invalid' } };
    screen = drawScreen(<NewPasswordScreen email="alice@example.org" token="old" />);
    screen.press('Make a new password');
    await shows(() => expect(alertText()).toContain('重置链接非法或已过期'));
    expect(screen.text()).toContain('Send another mail');
  });

  test('the code of a mail without a link is typed', async () => {
    answer = { body: { success: true, message: '', data: 'Zx8-made-up' } };
    screen = drawScreen(<NewPasswordScreen email="alice@example.org" token="" />);
    expect(screen.text()).not.toContain('The link is not complete');
    submit();
    await shows(() => expect(screen.text()).toContain('Enter the code of the mail'));
    screen.type('Code of the mail', ' typed-code ');
    submit();
    await shows(() => expect(screen.text()).toContain('alice@example.org gets a new password'));
    screen.press('Make a new password');
    await shows(() => expect(screen.text()).toContain('Zx8-made-up'));
    expect(sent('/api/user/reset')).toEqual([{ email: 'alice@example.org', token: 'typed-code' }]);
  });

  test('a typed code that is wrong is typed again, with the error at its field', async () => {
    answer = { body: { success: false, message: '重置链接非法或已过期', code: 'reset_link_invalid' } };
    screen = drawScreen(<NewPasswordScreen email="alice@example.org" token="" />);
    screen.type('Code of the mail', 'tipped');
    submit();
    await shows(() => screen.press('Make a new password'));
    await shows(() => expect(screen.problem('Code of the mail')).toBe('重置链接非法或已过期'));
    expect(screen.field('Code of the mail').value).toBe('tipped');
    answer = { body: { success: true, message: '', data: 'Zx8-made-up' } };
    screen.type('Code of the mail', 'typed');
    submit();
    await shows(() => screen.press('Make a new password'));
    await shows(() => expect(screen.text()).toContain('Zx8-made-up'));
    expect(sent('/api/user/reset')).toEqual([
      { email: 'alice@example.org', token: 'tipped' },
      { email: 'alice@example.org', token: 'typed' },
    ]);
  });

  test.each([
    ['', '', 'email'],
    ['', 'secret', 'email'],
    ['alice@example.org', '', 'token'],
  ])('the focus is where something has to be typed: with %j and %j at %s', (email, token, name) => {
    screen = drawScreen(<NewPasswordScreen email={email} token={token} />);
    expect(document.activeElement?.getAttribute('name')).toBe(name);
  });

  test('what is missing gets the focus', async () => {
    screen = drawScreen(<NewPasswordScreen email="" token="" />);
    screen.type('Code of the mail', 'typed-code');
    screen.field('Code of the mail').focus();
    submit();
    await shows(() => expect(screen.text()).toContain('Enter your e-mail address'));
    expect(document.activeElement?.getAttribute('name')).toBe('email');
  });

  test('half a link asks nothing', () => {
    screen = drawScreen(<NewPasswordScreen email="" token="x" />);
    expect(alertText()).toContain('The link is not complete');
    expect(sent('/api/user/reset')).toEqual([]);
  });
});
