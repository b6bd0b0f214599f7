import { onlineManager } from '@tanstack/react-query';
import { useState } from 'react';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Drawing } from '#shared/drawings.ts';
import { Role } from '#shared/roles.ts';
import type { Task } from '#shared/tasks.ts';
import { storeUser } from '#pwa/api/stored-user.ts';
import { buildConsoleUser, buildDrawing, buildMusic } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { rememberKind, type TaskSearch } from './task-address.ts';
import type { TaskKind } from './task-kinds.ts';
import { TasksScreen } from './tasks-screen.tsx';

let server: FixtureServer;
let screen: DrawnScreen;
let stored: (Drawing | Task)[];
let byPlatform: Partial<Record<string, Task[]>> | undefined;
let isBroken: boolean;
let extra: object;
let addresses: TaskSearch[];

beforeAll(async () => {
  await startScreenTexts('tasks');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requested.length = 0;
  stored = [];
  addresses = [];
  isBroken = false;
  byPlatform = undefined;
  localStorage.removeItem('task-kind');
  extra = {};
  storeUser(buildConsoleUser({ id: 7, username: 'alice', role: Role.user }));
  server.answer(({ url }, response) => {
    if (!/^\/api\/(mj|task)\//.test(url)) return sendJson(response, { success: false, message: '' });
    if (isBroken) return sendJson(response, { success: false, message: 'the store is away', code: 'store_away' }, 503);
    const data = byPlatform === undefined ? stored : (byPlatform[new URL(url, 'http://here').searchParams.get('platform') ?? 'suno'] ?? []);
    return sendJson(response, { success: true, message: '', data, total: data.length, page_size: 10, ...extra });
  });
});
afterEach(() => {
  screen.leave();
  onlineManager.setOnline(true);
});

function Placed({ kind, search }: { kind: TaskKind; search: TaskSearch }) {
  const [current, setCurrent] = useState(search);
  return (
    <TasksScreen
      kind={kind}
      search={current}
      onSearch={(change) => {
        const next = { ...current, ...change };
        addresses.push(next);
        setCurrent(next);
      }}
    />
  );
}
function open(kind: TaskKind, search: TaskSearch = {}): void {
  screen = drawScreen(<Placed kind={kind} search={search} />);
}
const lists = () =>
  server.requested.map(({ url }) => new URL(url, 'http://here')).filter(({ pathname }) => /^\/api\/(mj|task)\//.test(pathname));
const rows = () => [...document.querySelectorAll('tbody tr')].map((row) => row.textContent ?? '');

describe('tasks-screen', () => {
  test('a user asks for own drawings, whatever the address names', async () => {
    stored = [buildDrawing({ prompt: 'a lock at night' })];
    open('drawing', { channel: 3 });
    await shows(() => expect(rows()[0]).toContain('a lock at night'));
    const [requested] = lists();
    expect(requested?.pathname).toBe('/api/mj/self');
    expect(requested?.searchParams.has('channel_id')).toBe(false);
    // Milliseconds, and pages from 0.
    expect(Number(requested?.searchParams.get('start_timestamp'))).toBeGreaterThan(1e12);
    expect(requested?.searchParams.get('p')).toBe('0');
  });

  test('an administrator asks for everybody’s, by channel, in seconds', async () => {
    storeUser(buildConsoleUser({ id: 1, role: Role.admin }));
    stored = [
      buildMusic({ username: 'bob', channel_id: 3, channel_name: 'Harbour mouth' }),
      buildMusic({ id: 5, task_id: 'b1f1', channel_id: 3 }),
    ];
    open('music', { channel: 3, status: 'SUCCESS', id: 'b1f0' });
    await shows(() => expect(rows()[0]).toContain('bob'));
    // By its name, and by its number once it is gone.
    expect(rows()[0]).toContain('Harbour mouth');
    expect(rows()[1]).toContain('#3');
    const [requested] = lists();
    expect(requested?.pathname).toBe('/api/task/');
    expect(Object.fromEntries(requested?.searchParams ?? [])).toMatchObject({ channel_id: '3', status: 'SUCCESS', task_id: 'b1f0' });
    expect(requested?.searchParams.has('start_timestamp')).toBe(false);
  });

  test('what runs has a bar, what failed its reason and its money', async () => {
    stored = [
      buildDrawing({ id: 1, status: 'IN_PROGRESS', progress: '43%' }),
      buildDrawing({ id: 2, status: 'FAILURE', fail_reason: 'Banned prompt', quota: 500, refunded_quota: 500 }),
    ];
    open('drawing');
    await shows(() => expect(document.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow')).toBe('43'));
    expect(document.querySelectorAll('[role=progressbar]')).toHaveLength(1);
    expect(rows()[1]).toContain('Banned prompt');
    expect(rows()[1]).toContain('refunded');
    expect(screen.text()).toContain('Under way1');
  });

  test('an open drawing shows prompts, times, next steps and its record', async () => {
    stored = [
      buildDrawing({
        id: 5,
        prompt: '灯塔',
        prompt_en: 'a lighthouse',
        image_url: 'http://localhost:3000/mj/image/1790000001',
        finish_time: 1_790_000_075_000,
        buttons: '[{"customId":"MJ::U1","emoji":"","label":"U1"}]',
      }),
    ];
    open('drawing', { open: '5' });
    await shows(() => expect(document.querySelector('aside')?.textContent).toContain('a lighthouse'));
    const panel = document.querySelector('aside');
    expect(panel?.textContent).toContain('1 min 15 s');
    expect(panel?.textContent).toContain('U1');
    const image = panel?.querySelector('img');
    expect(image?.getAttribute('src')).toBe('/mj/image/1790000001');
    expect(image?.getAttribute('loading')).toBe('lazy');
    expect(image?.getAttribute('alt')).toBe('灯塔');
    screen.press('Whole record');
    await shows(() => expect(panel?.querySelector('pre')?.textContent).toContain('"mj_id": "1790000001"'));
  });

  test('an open drawing leads to its charge and refund in the log', async () => {
    stored = [buildDrawing({ id: 5, quota: 500, request_id: 'req-5' }), buildDrawing({ id: 6, request_id: 'req-6' })];
    open('drawing', { open: '5' });
    const links = () => [...document.querySelectorAll('aside a')].map((link) => link.getAttribute('href'));
    await shows(() => expect(links()).toContain('/log?request=req-5'));
    screen.leave();
    // Without a charge there is no row.
    open('drawing', { open: '6' });
    await shows(() => expect(document.querySelector('aside')?.textContent).toContain('#6'));
    expect(links()).toEqual([]);
  });

  test('a broken picture says so', async () => {
    stored = [buildDrawing({ id: 5, image_url: 'https://cdn.example/a.png' })];
    open('drawing', { view: 'gallery' });
    await shows(() => expect(document.querySelector('li img')).not.toBeNull());
    document.querySelector('li img')?.dispatchEvent(new Event('error'));
    await shows(() => expect(document.querySelector('li')?.textContent).toContain('The picture could not be loaded'));
  });

  test('an insecure picture is named, not loaded', async () => {
    stored = [buildDrawing({ id: 5, image_url: 'http://cdn.example/a.png' })];
    open('drawing', { open: '5' });
    await shows(() => expect(document.querySelector('aside')?.textContent).toContain('not secure'));
    expect(document.querySelector('img')).toBeNull();
  });

  test('music has a player per clip, which loads nothing by itself, and its words', async () => {
    stored = [
      buildMusic({
        id: 6,
        data: [
          { id: 'a', title: 'Tide', audio_url: 'https://cdn.example/a.mp3', metadata: { duration: 187, tags: 'slow', prompt: 'la la' } },
          { id: 'b', title: 'Ebb', audio_url: 'http://cdn.example/b.mp3' },
        ],
      }),
    ];
    open('music', { open: '6', range: 'month' });
    await shows(() => expect(document.querySelectorAll('audio')).toHaveLength(1));
    const audio = document.querySelector('audio');
    expect(audio?.getAttribute('preload')).toBe('none');
    expect(audio?.getAttribute('src')).toBe('https://cdn.example/a.mp3');
    expect(document.querySelector('aside')?.textContent).toContain('3:07 · slow');
    expect(document.querySelector('aside')?.textContent).toContain('There is no audio yet');
    screen.press('Lyrics');
    await shows(() => expect(document.querySelector('aside')?.textContent).toContain('la la'));
  });

  test('markup of an upstream stays text', async () => {
    const evil = '<img src=x onerror=alert(1)>';
    stored = [buildDrawing({ id: 5, prompt: evil, fail_reason: evil, status: 'FAILURE' })];
    open('drawing', { open: '5' });
    await shows(() => expect(document.querySelector('aside')?.textContent).toContain(evil));
    expect(document.querySelector('img')).toBeNull();
  });

  test('what narrows the list begins at its first page', async () => {
    stored = [buildDrawing()];
    extra = { total: 40 };
    open('drawing', { p: 3 });
    await shows(() => expect(rows()).toHaveLength(1));
    expect(lists()[0]?.searchParams.get('p')).toBe('2');
    screen.press('Custom');
    await shows(() => expect(addresses.at(-1)).toMatchObject({ range: 'custom', p: undefined }));
    await shows(() => expect(lists().at(-1)?.searchParams.get('p')).toBe('0'));
    expect(lists().at(-1)?.searchParams.has('start_timestamp')).toBe(false);
  });

  test('beyond what is counted, a cursor leads on', async () => {
    stored = [buildDrawing()];
    extra = { total: 10_000, total_is_lower_bound: true, cursor: 'next' };
    open('drawing');
    await shows(() => screen.press('Older'));
    await shows(() => expect(lists().at(-1)?.searchParams.get('cursor')).toBe('next'));
    expect(lists().at(-1)?.searchParams.has('p')).toBe(false);
  });

  const video = () => {
    const made = { model: 'veo-3', seconds: 8, size: '1280x720', url: '', poster: '' };
    return buildMusic({ platform: 'video', action: 'IMAGE_TO_VIDEO', properties: { input: 'a harbour' }, video: made });
  };
  const askedFor = () => lists().map(({ searchParams }) => searchParams.get('platform') ?? 'music');

  test('whoever has not said what he looks for sees videos where there is no music', async () => {
    byPlatform = { video: [video()] };
    open('music');
    await shows(() => expect(rows()[0]).toContain('a harbour'));
    expect(rows()[0]).toContain('8 s');
    expect(askedFor()).toEqual(['music', 'video']);
  });

  test('who asks for music, or has looked at it last, sees that there is none', async () => {
    byPlatform = { video: [video()] };
    open('music', { kind: 'music' });
    await shows(() => expect(screen.text()).toContain('Show the last 30 days'));
    screen.leave();
    rememberKind('music');
    open('music');
    await shows(() => expect(screen.text()).toContain('Show the last 30 days'));
    expect(askedFor()).not.toContain('video');
  });

  test('nothing today offers the last 30 days', async () => {
    open('music');
    await shows(() => screen.press('Show the last 30 days'));
    expect(addresses.at(-1)).toMatchObject({ range: 'month' });
  });

  test('a failure is told, and asked again on request', async () => {
    isBroken = true;
    open('drawing');
    await shows(() => expect(document.querySelector('[role=alert]')?.textContent).toContain('Drawing log could not be loaded'));
    isBroken = false;
    stored = [buildDrawing({ prompt: 'back again' })];
    screen.press('Try again');
    await shows(() => expect(rows()[0]).toContain('back again'));
  });

  test('without a network and without anything kept, says so', async () => {
    onlineManager.setOnline(false);
    open('drawing');
    await shows(() => expect(screen.text()).toContain('Not on this device yet'));
    expect(lists()).toEqual([]);
  });

  test('a record that is not listed is not opened', async () => {
    stored = [buildDrawing({ id: 5 })];
    open('drawing', { open: '99' });
    await shows(() => expect(screen.text()).toContain('Not on this page'));
  });
});
