import { onlineManager } from '@tanstack/react-query';
import { act, useState } from 'react';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { storeUser } from '#pwa/api/stored-user.ts';
import { Role } from '#shared/roles.ts';
import { UserStatus } from '#shared/user.ts';
import type { ListedUser } from '#shared/users.ts';
import { buildConsoleUser } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import type { UsersSearch } from './users-search.ts';
import { UsersScreen } from './users-screen.tsx';

let server: FixtureServer;
let screen: DrawnScreen;
let stored: ListedUser[];
let isBroken: boolean;
let isRefusing: boolean;
let opened: (string | undefined)[];
let addresses: UsersSearch[];

beforeAll(async () => {
  await startScreenTexts('users', 'editing');
  server = await startFixtureServer();
  storeUser(buildConsoleUser({ id: 1, username: 'root', role: Role.root }));
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requested.length = 0;
  addresses = [];
  opened = [];
  isBroken = false;
  isRefusing = false;
  stored = [buildConsoleUser({ id: 7, username: 'alice' }), buildConsoleUser({ id: 8, username: 'bob', status: UserStatus.banned })];
  server.answer(({ url, body }, response) => {
    const path = url.split('?')[0];
    if (path === '/api/user/' || path === '/api/user/search') {
      if (isBroken) return sendJson(response, { success: false, message: 'the store is away', code: 'store_away' }, 503);
      return sendJson(response, { success: true, message: '', data: { items: stored, total: stored.length, page: 1, page_size: 10 } });
    }
    if (path === '/api/user/manage') {
      if (isRefusing) return sendJson(response, { success: false, message: 'not this one', code: 'refused' });
      const { id, action } = body as { id: number; action: string };
      stored = stored.map((user) =>
        user.id === id ? { ...user, status: action === 'enable' ? 1 : 2, revision: user.revision + 1 } : user,
      );
      return sendJson(response, { success: true, message: '', data: stored.find((user) => user.id === id) });
    }
    return sendJson(response, { success: true, message: '', data: [] });
  });
});
afterEach(() => {
  screen.leave();
  onlineManager.setOnline(true);
});

function Placed({ search }: { search: UsersSearch }) {
  const [current, setCurrent] = useState(search);
  const [shown, setShown] = useState<string>();
  return (
    <UsersScreen
      search={current}
      onSearch={(change) => {
        const next = { ...current, ...change };
        addresses.push(next);
        setCurrent(next);
      }}
      open={shown}
      onOpen={(next) => {
        opened.push(next);
        setShown(next);
      }}
    />
  );
}
function open(search: UsersSearch = {}): void {
  screen = drawScreen(<Placed search={search} />);
}
const rowOf = (name: string) =>
  [...document.querySelectorAll('tbody tr')].find((row) => row.textContent?.includes(name))?.textContent ?? '';
const menuItem = async (row: string, label: string) => {
  await shows(() => screen.press(`More actions for ${row}`));
  await shows(() => screen.press(label));
};
const confirm = () => [...(document.querySelector('dialog')?.querySelectorAll('button') ?? [])].at(-1)?.click();
const managed = () => server.requested.filter(({ url }) => url === '/api/user/manage').map(({ body }) => body);

describe('users-screen', () => {
  test('is sorted by the figure whose heading is pressed, and turned by a second press', async () => {
    stored = stored.map((user, at) => ({ ...user, last_call: at === 0 ? Math.floor(Date.now() / 1000) - 7_200 : 0 }));
    open({ p: 3, group: 'vip' });
    await shows(() => expect(rowOf('alice')).toContain('2 hours'));
    expect(rowOf('bob')).toContain('No calls');
    const requested = () => new URL(server.requested.findLast(({ url }) => url.startsWith('/api/user/'))?.url ?? '', 'http://x').search;
    const pressHeading = (column: string) => act(() => document.querySelector<HTMLElement>(`th[data-column="${column}"] button`)?.click());
    const sortOf = (column: string) => document.querySelector(`th[data-column="${column}"]`)?.getAttribute('aria-sort');
    pressHeading('balance');
    expect(addresses.at(-1)).toEqual({ p: undefined, group: 'vip', sort: 'balance', order: undefined });
    await shows(() => expect(requested()).toContain('sort=balance'));
    expect(requested()).not.toContain('ascending');
    await shows(() => expect(sortOf('balance')).toBe('descending'));
    pressHeading('balance');
    await shows(() => expect(requested()).toContain('sort=balance&ascending=true'));
    await shows(() => expect(sortOf('balance')).toBe('ascending'));
    pressHeading('balance');
    expect(addresses.at(-1)).toMatchObject({ sort: 'balance', order: undefined });
  });

  test('lists users with their state', async () => {
    open();
    await shows(() => expect(rowOf('bob')).toContain('Banned'));
    expect(rowOf('alice')).toContain('Active');
  });

  test('without users says so', async () => {
    stored = [];
    open();
    await shows(() => expect(screen.text()).toContain('No users yet'));
  });

  test('a search that finds nobody offers to clear it', async () => {
    stored = [];
    open({ keyword: 'carol' });
    await shows(() => screen.press('Clear filters'));
    await shows(() => expect(addresses.at(-1)).toMatchObject({ keyword: undefined }));
    await shows(() => expect(server.requested.at(-1)?.url).toMatch(/^\/api\/user\/\?/));
  });

  test('a failure is told, and asked again on request', async () => {
    isBroken = true;
    open();
    await shows(() => expect(document.querySelector('[role=alert]')?.textContent).toContain('Users could not be loaded'));
    isBroken = false;
    screen.press('Try again');
    await shows(() => expect(rowOf('alice')).not.toBe(''));
  });

  test('without a network and without anything kept, says so', async () => {
    onlineManager.setOnline(false);
    open();
    await shows(() => expect(screen.text()).toContain('Not on this device yet'));
    expect(server.requested).toEqual([]);
  });

  test('a ban is asked about first', async () => {
    open();
    await menuItem('alice', 'Ban');
    await shows(() => expect(screen.text()).toContain('Ban alice?'));
    expect(managed()).toEqual([]);
    confirm();
    await shows(() => expect(rowOf('alice')).toContain('Banned'));
    expect(managed()).toEqual([{ id: 7, action: 'disable' }]);
  });

  test('lifting a ban is not', async () => {
    open();
    await menuItem('bob', 'Enable');
    await shows(() => expect(rowOf('bob')).toContain('Active'));
    expect(managed()).toEqual([{ id: 8, action: 'enable' }]);
  });

  test('what the server refuses is told, and changes nothing', async () => {
    isRefusing = true;
    open();
    await menuItem('bob', 'Enable');
    await shows(() => expect(screen.text()).toContain('not this one'));
    expect(rowOf('bob')).toContain('Banned');
  });

  test('deleting the open user closes the panel', async () => {
    open();
    await menuItem('bob', 'Edit');
    await shows(() => expect(opened.at(-1)).toBe('8'));
    await menuItem('bob', 'Delete permanently');
    await shows(() => expect(document.querySelector('dialog')).not.toBeNull());
    confirm();
    await shows(() => expect(managed()).toEqual([{ id: 8, action: 'delete' }]));
    expect(opened.at(-1)).toBeUndefined();
  });
});
