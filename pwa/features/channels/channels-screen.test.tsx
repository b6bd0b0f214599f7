import { onlineManager } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ChannelTag } from '#shared/channel-tags.ts';
import type { Channel, ChannelSummary, FailingChannel } from '#shared/channels.ts';
import { buildConsoleChannel } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer, widenToDesk } from '#tests/support/console-server.ts';
import { dropUndos } from '#pwa/ui/frame/toast.ts';
import { ChannelsScreen } from './channels-screen.tsx';
import type { ChannelsSearch } from './channels-search.ts';

let server: FixtureServer;
let screen: DrawnScreen;
let stored: Channel[];
let gone: Channel[];
let counts: ChannelSummary;
let tags: ChannelTag[];
let failing: FailingChannel[];
let isLate: boolean;
let isLocked: boolean;
/** What the server says instead of the list. */
let failure: { body: object; status: number } | undefined;
/** Tests that are under way; each call fails one. */
let tested: (() => void)[];
let addresses: ChannelsSearch[];
let opened: (string | undefined)[];

beforeAll(async () => {
  widenToDesk();
  await startScreenTexts('channels', 'editing');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requested.length = 0;
  addresses = [];
  tested = [];
  opened = [];
  failure = undefined;
  gone = [];
  const shared = { groups: [], used_quota: 0, balance: null, priority: [0, 0], weight: [0, 0] } satisfies Partial<ChannelTag>;
  tags = [
    { ...shared, tag: 'harbour', ids: [7], enabled: 3, disabled_by_hand: 0, disabled_by_system: 1 },
    { ...shared, tag: '', ids: [8], enabled: 1, disabled_by_hand: 2, disabled_by_system: 0 },
  ];
  counts = { enabled: 1, disabled_by_hand: 1, disabled_by_system: 0 };
  failing = [];
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
    if (path?.startsWith('/api/channel/test/') === true) {
      tested.push(() => sendJson(response, { success: false, message: 'no key', time: 0.1 }));
      return;
    }
    if (path === '/api/channel/summary') return sendJson(response, { success: true, message: '', data: counts });
    if (path === '/api/channel/failing') return sendJson(response, { success: true, message: '', data: failing });
    if (path === '/api/channel/tags') return sendJson(response, { success: true, message: '', data: tags });
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
/** The open record is in the address, where leaving unsaved edits needs a confirmation. */
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
const states = (): string[] => [...document.querySelectorAll('[role=group][aria-label=Status] button')].map((one) => one.textContent ?? '');
/** Of the row that a tag has. */
function figuresOf(tag: string): Record<string, string | undefined> {
  const headings = [...document.querySelectorAll('thead th')];
  const row = [...document.querySelectorAll('tr')].find((one) => one.querySelector(':scope > th b')?.textContent === tag);
  const cells = [...(row?.children ?? [])];
  const under = (heading: string): string | undefined => {
    const fromEnd = headings.length - headings.findIndex((one) => one.textContent?.startsWith(heading));
    return cells.at(-fromEnd)?.textContent;
  };
  return { status: under('Status'), used: under('Used'), priority: under('Priority') };
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

  test('offers no test of what only takes orders, and says why', async () => {
    stored = [buildConsoleChannel({ id: 7, name: 'films', type: 50, models: 'kling-v2-6' }), buildConsoleChannel({ id: 8, name: 'west' })];
    open();
    await shows(() => expect(screen.button('Test west').disabled).toBe(false));
    expect(screen.button('Test films').disabled).toBe(true);
    expect(screen.button('Test films').title).toContain('every request creates a paid job');
    await shows(() => screen.press('More actions for films'));
    await shows(() => expect(screen.text()).toContain('Copy channel'));
    expect(screen.text()).not.toContain('Test a model');
  });

  test('those that fail have a filter while there are some, and say in the row and in the panel how', async () => {
    const reported = { name: 'east', by: 'calls', problem: '', since: 0, failures: 11, calls: 12, sole_models: 1 } as const;
    failing = [{ ...reported, id: 7, status: 200 }];
    stored = [...stored, buildConsoleChannel({ id: 9, name: 'north' })];
    open();
    await shows(() => expect(states()).toContain('Failing 1'));
    screen.press('Failing 1');
    await shows(() => expect(addresses.at(-1)).toMatchObject({ status: 'failing' }));
    await shows(() => expect(document.querySelectorAll('tbody tr')).toHaveLength(1));
    const how = 'unreadable answer · 11 of 12 calls · only channel for 1 model';
    // The row has a column for the share of its calls that go well.
    expect(document.querySelector('tbody tr')?.textContent).toContain('unreadable answer · only channel for 1 model');
    await menuItem('east', 'Edit');
    await shows(() => expect(document.querySelector('aside')?.textContent).toContain(how));
  });

  test('one whose test failed says why once', async () => {
    const reported = { name: 'east', by: 'test', status: 0, since: 0, failures: 0, calls: 0, sole_models: 0 } as const;
    stored = [7, 8].map((id) =>
      buildConsoleChannel({ id, name: `channel ${id}`, test_time: 1, response_time: 9, test_error: 'no such key' }),
    );
    failing = [{ ...reported, id: 7, problem: 'no such key' }];
    open();
    const mentions = (name: string) => {
      const row = [...document.querySelectorAll('tbody tr')].find((one) => one.textContent?.includes(name));
      return row?.textContent?.split('no such key').length;
    };
    await shows(() => expect(document.querySelector('tbody tr')?.textContent).toContain('test failed'));
    expect([mentions('channel 7'), mentions('channel 8')]).toEqual([2, 2]);
  });

  test('one that nothing can be sent through says so, and why', async () => {
    const reported = { name: 'east', problem: 'a base URL is needed', status: 0, since: 0, failures: 0, calls: 0, sole_models: 1 };
    failing = [{ ...reported, id: 7, by: 'settings' }];
    open();
    const row = () => [...document.querySelectorAll('tbody tr')].find((one) => one.textContent?.includes('east'))?.textContent;
    await shows(() => expect(row()).toContain('unusable'));
    expect(row()).toContain('a base URL is needed · only channel for 1 model');
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
    expect(server.requested).toEqual([]);
  });

  test('a state is chosen among what was found', async () => {
    open({ status: 'off' });
    await shows(() => expect(screen.text()).toContain('west'));
    expect(screen.text()).not.toContain('east');
  });

  test('each state says how many it would show: of all channels, and of what a search found', async () => {
    counts = { enabled: 31, disabled_by_hand: 5, disabled_by_system: 2 };
    open();
    await shows(() => expect(states()).toEqual(['All 38', 'Enabled 31', 'Disabled 5', 'Auto-off 2']));
    // Of all channels still: a state does not narrow what it counts.
    screen.press('Disabled 5');
    await shows(() => expect(screen.text()).not.toContain('east'));
    expect(states()).toContain('Enabled 31');
    screen.leave();
    open({ keyword: 'st' });
    await shows(() => expect(states()).toEqual(['All 2', 'Enabled 1', 'Disabled 1', 'Auto-off 0']));
  });

  test('of a search that found more than it tells, no state says how many', async () => {
    stored = Array.from({ length: 1_000 }, (_, at) => buildConsoleChannel({ id: at + 1, name: `st-${at}` }));
    open({ keyword: 'st' });
    await shows(() => expect(screen.text()).toContain('st-0'));
    expect(states()).toEqual(['All', 'Enabled', 'Disabled', 'Auto-off']);
  });

  test('under their tags the totals of the tags are counted', async () => {
    open({ keyword: 'st', by: 'tag' });
    await shows(() => expect(states()).toEqual(['All 7', 'Enabled 4', 'Disabled 2', 'Auto-off 1']));
  });

  test('a tag and the sum of all have their figures under the columns, as exact as those of a channel', async () => {
    tags = tags.map((tag, at) => ({
      ...tag,
      used_quota: [4, 5_000_000][at] ?? 0,
      balance: [12.5, null][at] ?? null,
      priority: [0 - 7 * at, 3 + at],
    }));
    stored = stored.map((channel, at) => ({ ...channel, tag: ['harbour', ''][at] ?? '', used_quota: 4 }));
    using _room = vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(2_000);
    open({ by: 'tag' });
    await shows(() => expect(figuresOf('harbour')).toMatchObject({ used: '<0.01', priority: '0–3' }));
    expect(figuresOf('harbour')['status']).toBe('31');
    expect(figuresOf('No tag')).toMatchObject({ used: '10.00', priority: '−7 – 4' });
    expect(figuresOf('All tags')).toMatchObject({ used: '10.00', priority: '−7 – 4', status: '412' });
    // A state shows a part of them: then there is no sum of all.
    await shows(() => screen.press('Disabled 1'));
    await shows(() => expect(screen.text()).not.toContain('east'));
    expect(screen.text()).not.toContain('All tags');
    expect(figuresOf('No tag')).toMatchObject({ used: '10.00' });
  });

  test('a list under one tag has no second sum', async () => {
    tags = tags.slice(0, 1);
    stored = stored.map((channel) => ({ ...channel, tag: 'harbour' }));
    open({ by: 'tag' });
    await shows(() => expect(screen.text()).toContain('harbour'));
    expect(screen.text()).not.toContain('All tags');
  });

  test('a channel is deleted at once, and comes back with its undo', async () => {
    open();
    await menuItem('east', 'Delete');
    await shows(() => expect(stored.map(({ name }) => name)).toEqual(['west']));
    await shows(() => expect(screen.text()).toContain('Channel east is deleted and gets no more calls.'));
    await shows(() => expect(document.querySelector('tbody')?.textContent).not.toContain('east'));
    expect(document.querySelector('dialog')).toBeNull();
    screen.press('Undo');
    await shows(() => expect(document.querySelector('tbody')?.textContent).toContain('east'));
    const requested = server.requested.find(({ url }) => url === '/api/channel/restore');
    expect(requested).toMatchObject({ method: 'POST', body: { ids: [7] } });
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
    // Closing it still needs a confirmation.
    screen.press('Cancel');
    await shows(() => expect(document.querySelector('dialog')).not.toBeNull());
  });

  test('ticked channels are tested one after the other, can be stopped, and are summed up', async () => {
    stored = [7, 8, 9].map((id) => buildConsoleChannel({ id, name: `channel ${id}` }));
    open();
    await shows(() => expect(screen.text()).toContain('channel 9'));
    for (const box of document.querySelectorAll<HTMLElement>('tbody input[type=checkbox]')) box.click();
    await shows(() => expect(screen.text()).toContain('3 selected'));
    // The actions load when the first row is ticked.
    await shows(() => screen.press('Test'));
    await shows(() => expect(tested).toHaveLength(1));
    tested[0]?.();
    await shows(() => expect(tested).toHaveLength(2));
    screen.press('Stop');
    tested[1]?.();
    await shows(() => expect(screen.text()).toContain('2 tested, 2 failed'));
    expect(tested).toHaveLength(2);
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
