import { onlineManager } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Channel } from '#shared/channels.ts';
import { buildConsoleChannel } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { dropUndos } from '#pwa/ui/frame/toast.ts';
import { ChannelsScreen } from './channels-screen.tsx';
import type { ChannelsSearch } from './channels-search.ts';

let server: FixtureServer;
let screen: DrawnScreen;
let stored: Channel[];
let gone: Channel[];
let isLate: boolean;
let isLocked: boolean;
/** What the server says instead of the list. */
let failure: { body: object; status: number } | undefined;
let addresses: ChannelsSearch[];
let opened: (string | undefined)[];

beforeAll(async () => {
  await startScreenTexts('channels', 'editing');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.asked.length = 0;
  addresses = [];
  opened = [];
  failure = undefined;
  gone = [];
  isLate = false;
  isLocked = false;
  stored = [buildConsoleChannel({ id: 7, name: 'east' }), buildConsoleChannel({ id: 8, name: 'west', status: 2 })];
  server.answer(({ method, url }, response) => {
    const path = url.split('?')[0];
    if (method === 'GET' && (path === '/api/channel/' || path === '/api/channel/search')) {
      if (failure !== undefined) return sendJson(response, failure.body, failure.status);
      return sendJson(response, { success: true, message: '', data: stored, total: stored.length });
    }
    if (method === 'GET' && path === '/api/channel/7') return sendJson(response, { success: true, message: '', data: stored[0] });
    if (path === '/api/channel/batch') {
      if (isLocked) return sendJson(response, { success: false, message: 'it is locked', code: 'refused' });
      gone = stored.filter(({ id }) => id === 7);
      stored = stored.filter(({ id }) => id !== 7);
      return sendJson(response, { success: true, message: '', data: gone.length, ids: gone.map(({ id }) => id) });
    }
    if (path === '/api/channel/restore') {
      if (isLate) return sendJson(response, { success: false, message: 'it is too late', code: 'channel_restore_late' });
      stored = [...gone, ...stored];
      return sendJson(response, { success: true, message: '', data: gone.length });
    }
    if (method === 'PUT') return sendJson(response, { success: false, message: 'it is locked', code: 'refused' });
    return sendJson(response, { success: true, message: '', data: path === '/api/channel/figures' ? { since: 0, channels: [] } : [] });
  });
});
afterEach(() => {
  dropUndos();
  screen.leave();
  onlineManager.setOnline(true);
});

function Placed({ search }: { search: ChannelsSearch }) {
  const [current, setCurrent] = useState(search);
  const [shown, setShown] = useState<string>();
  return (
    <ChannelsScreen
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
/** What is open is in the address, where unsaved edits are asked about. */
function Addressed() {
  const { history } = useRouter();
  const [shown, setShown] = useState<string>();
  useEffect(() => history.subscribe(() => setShown(new URLSearchParams(history.location.search).get('open') ?? undefined)), [history]);
  return (
    <ChannelsScreen
      search={{}}
      onSearch={() => {}}
      open={shown}
      onOpen={(next) => {
        opened.push(next);
        history.push(next === undefined ? '/' : `/?open=${next}`);
      }}
    />
  );
}
function open(search: ChannelsSearch = {}): void {
  screen = drawScreen(<Placed search={search} />);
}
const menuItem = async (row: string, label: string) => {
  await shows(() => screen.press(`More actions for ${row}`));
  await shows(() => screen.press(label));
};

describe('channels-screen', () => {
  test('lists channels with their state', async () => {
    open();
    await shows(() => expect(screen.text()).toContain('west'));
    expect(screen.text()).toContain('Disabled');
  });

  test('says what to do first when there are none', async () => {
    stored = [];
    open();
    await shows(() => expect(screen.text()).toContain('No channels yet'));
    expect(document.querySelectorAll('[data-variant=filled]')).toHaveLength(1);
  });

  test('nothing that matches offers to take the filters away', async () => {
    stored = [];
    open({ keyword: 'north', group: 'vip' });
    await shows(() => expect(screen.text()).not.toContain('No channels yet'));
    await shows(() => screen.press('Clear filters'));
    await shows(() => expect(addresses.at(-1)).toMatchObject({ keyword: undefined, group: undefined }));
  });

  test('a failure is told with its request, and asked again on request', async () => {
    failure = { body: { success: false, message: 'the store is away', code: 'store_away' }, status: 503 };
    open();
    await shows(() => expect(document.querySelector('[role=alert]')?.textContent).toContain('Channels could not be loaded'));
    failure = undefined;
    screen.press('Try again');
    await shows(() => expect(screen.text()).toContain('east'));
    expect(document.querySelector('[role=alert]')).toBeNull();
  });

  test('without a network and without anything kept, says so', async () => {
    onlineManager.setOnline(false);
    open();
    await shows(() => expect(screen.text()).toContain('Not on this device yet'));
    expect(server.asked).toEqual([]);
  });

  test('a state is chosen among what was found', async () => {
    open({ status: 'off' });
    await shows(() => expect(screen.text()).toContain('west'));
    expect(screen.text()).not.toContain('east');
  });

  test('a channel is deleted at once, and comes back with its undo', async () => {
    open();
    await menuItem('east', 'Delete');
    await shows(() => expect(stored.map(({ name }) => name)).toEqual(['west']));
    await shows(() => expect(screen.text()).toContain('Channel east is deleted: no call goes there.'));
    await shows(() => expect(document.querySelector('tbody')?.textContent).not.toContain('east'));
    expect(document.querySelector('dialog')).toBeNull();
    screen.press('Undo');
    await shows(() => expect(document.querySelector('tbody')?.textContent).toContain('east'));
    const asked = server.asked.find(({ url }) => url === '/api/channel/restore');
    expect(asked).toMatchObject({ method: 'POST', body: { ids: [7] } });
  });

  const editEast = async () => {
    screen = drawScreen(<Addressed />);
    await menuItem('east', 'Edit');
    await shows(() => screen.type('Name', 'easter'));
    await shows(() => expect(screen.text()).toContain('1 unsaved change'));
  };

  test('the editor of a channel that is deleted closes without asking about its edits', async () => {
    await editEast();
    await menuItem('east', 'Delete');
    await shows(() => expect(opened).toEqual(['7', undefined]));
    await shows(() => expect(document.querySelector('aside')).toBeNull());
    expect(document.querySelector('dialog')).toBeNull();
  });

  test('the editor of a channel that could not be deleted keeps its edits', async () => {
    isLocked = true;
    await editEast();
    await menuItem('east', 'Delete');
    await shows(() => expect(screen.text()).toContain('it is locked'));
    expect(opened).toEqual(['7']);
    expect(screen.field('Name').value).toBe('easter');
    // Closing it is still asked about.
    screen.press('Cancel');
    await shows(() => expect(document.querySelector('dialog')).not.toBeNull());
  });

  test('an undo that comes too late is told', async () => {
    isLate = true;
    open();
    await menuItem('east', 'Delete');
    await shows(() => expect(screen.text()).toContain('Channel east is deleted'));
    screen.press('Undo');
    await shows(() => expect(screen.text()).toContain('it is too late'));
    expect(document.querySelector('tbody')?.textContent).not.toContain('east');
  });

  test('a refused change is told, and the row stays as it is', async () => {
    open();
    await menuItem('east', 'Disable');
    await shows(() => expect(screen.text()).toContain('it is locked'));
    expect(document.querySelector('tbody')?.textContent).toContain('Enabled');
  });

  test('the editor opens from the menu of a row', async () => {
    open();
    await menuItem('west', 'Edit');
    await shows(() => expect(opened.at(-1)).toBe('8'));
  });
});
