import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Role } from '#shared/roles.ts';
import { buildConsoleUser } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { UserMore } from './user-more.tsx';
import { UserActions, UserSummary } from './user-summary.tsx';

const alice = buildConsoleUser({ aff_count: 2 });
const person = { status: 1, is_deleted: false, created_time: 1_700_000_000, used_quota: 500_000, aff_count: 0 };
const change = { created_at: 1_700_000_000, actor_id: 0, actor_name: '', reason: '' };

let server: FixtureServer;
let screen: DrawnScreen;

beforeAll(async () => {
  await startScreenTexts('users');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requested.length = 0;
  server.answer(({ method, url }, response) => {
    const page = (items: object[], total = items.length, more = {}) =>
      sendJson(response, { success: true, message: '', data: { items, total, page: 1, page_size: 10 }, ...more });
    if (method === 'DELETE' && url.includes('/bindings/')) return sendJson(response, { success: true, message: '', data: alice });
    if (method === 'DELETE') return sendJson(response, { success: true, message: '', data: 2 });
    if (url.includes('/balance_history')) {
      return page(
        [
          { id: 3, kind: 'edit', amount: -250_000, ...change, actor_id: 2, actor_name: 'ops', reason: 'refund of 14 May' },
          { id: 2, kind: 'something_new', amount: 500_000, ...change },
        ],
        12,
      );
    }
    if (url.includes('/user/8/invitations')) return page([{ ...person, id: 9, username: 'carol' }], 1, { inviters: [] });
    return page(
      [
        { ...person, id: 8, username: 'bob', aff_count: 1 },
        { ...person, id: 10, username: 'dan', is_deleted: true },
      ],
      2,
      { inviters: [{ ...person, id: 1, username: 'root' }] },
    );
  });
});
afterEach(() => screen.leave());

const requested = (part: string) => server.requested.filter(({ url }) => url.includes(part));

describe('user-more', () => {
  test('asks for nothing before it is opened; then says what changed the balance, by whom and why', async () => {
    screen = drawScreen(<UserMore user={alice} />);
    expect(server.requested).toEqual([]);
    screen.press('Balance history');
    await shows(() => expect(screen.text()).toContain('Changed by an administrator'));
    expect(screen.text()).toMatch(/−\$0\.50.*ops.*refund of 14 May/);
    // A kind that this console does not know yet.
    expect(screen.text()).toContain('something_new');
    screen.press('Show more');
    await shows(() => expect(requested('page_size=40')).toHaveLength(1));
  });

  test('shows the tree of invitations branch by branch', async () => {
    screen = drawScreen(<UserMore user={alice} />);
    screen.press('Invitations2');
    await shows(() => expect(screen.text()).toContain('bob'));
    expect(screen.text()).toContain('Invited by root #1');
    expect(screen.text()).toContain('Deleted');
    expect(requested('/user/8/')).toEqual([]);
    screen.press('invited 1');
    await shows(() => expect(screen.text()).toContain('carol'));
    expect(document.querySelector('a[href="/user/edit/9"]')).not.toBeNull();
  });

  test('ends sessions after a question, and not those of equals', async () => {
    const parts = { isBusy: false, onCommand: () => {} };
    screen = drawScreen(<UserActions user={alice} actor={{ role: Role.admin }} {...parts} />);
    screen.press('Sign out everywhere');
    await shows(() => expect(screen.text()).toContain('Sign alice out everywhere?'));
    expect(requested('/sessions')).toEqual([]);
    const [, confirm] = [...document.querySelectorAll('button')].filter(({ textContent }) => textContent === 'Sign out everywhere');
    confirm?.click();
    await shows(() => expect(screen.text()).toContain('2 sessions ended'));
    expect(requested('/api/user/7/sessions')).toHaveLength(1);
    screen.leave();
    screen = drawScreen(<UserActions user={buildConsoleUser({ role: 10 })} actor={{ role: Role.admin }} {...parts} />);
    expect(screen.button('Sign out everywhere').disabled).toBe(true);
  });

  test('removes a binding after a question; who may only look has no button', async () => {
    const bound = buildConsoleUser({ linux_do_id: '4711' });
    screen = drawScreen(<UserSummary user={bound} />);
    expect(screen.text()).toContain('4711');
    expect(screen.text()).not.toContain('Invited by');
    expect(() => screen.button('Remove the binding LinuxDO')).toThrow('no button');
    screen.leave();
    screen = drawScreen(<UserSummary user={bound} canEdit />);
    screen.press('Remove the binding LinuxDO');
    await shows(() => expect(screen.text()).toContain('Remove LinuxDO from alice?'));
    expect(requested('/bindings/')).toEqual([]);
    const confirm = [...document.querySelectorAll('button')].findLast(({ textContent }) => textContent === 'Remove');
    confirm?.click();
    await shows(() => expect(requested('/api/user/7/bindings/linuxdo')).toHaveLength(1));
  });

  test('says who invited the user: by the name, or by the id where there is none any more', async () => {
    screen = drawScreen(<UserSummary user={buildConsoleUser({ inviter_id: 3, inviter_name: 'grace' })} />);
    await shows(() => expect(screen.text()).toMatch(/Invited by\s*grace #3/));
    expect(document.querySelector('a[href$="/user/edit/3"]')).not.toBeNull();
    screen.leave();
    screen = drawScreen(<UserSummary user={buildConsoleUser({ inviter_id: 3, inviter_name: '' })} />);
    expect(screen.text()).toMatch(/Invited by\s*#3/);
    expect(document.querySelector('a')).toBeNull();
  });
});
