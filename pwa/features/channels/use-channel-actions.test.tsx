import { useEffect } from 'react';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dropUndos } from '#pwa/ui/frame/toast.ts';
import { buildConsoleChannel } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { type ChannelActions, useChannelActions } from './use-channel-actions.ts';

let server: FixtureServer;
let screen: DrawnScreen;
let removed: number[];
let isSearchBroken: boolean;
const sent: { path: string; body: unknown }[] = [];
const reported: { actions?: ChannelActions } = {};

function Part() {
  const actions = useChannelActions();
  useEffect(() => {
    reported.actions = actions;
  });
  return null;
}

const stored = [
  buildConsoleChannel({ id: 7, tag: 'east' }),
  buildConsoleChannel({ id: 8, tag: 'east', status: 2 }),
  buildConsoleChannel({ id: 9, tag: 'east', status: 3 }),
  buildConsoleChannel({ id: 10, tag: 'easter' }),
];

describe('use-channel-actions', () => {
  beforeAll(async () => {
    await startScreenTexts('channels');
    server = await startFixtureServer();
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    sent.length = 0;
    isSearchBroken = false;
    removed = [7, 9, 10];
    server.answer(({ method, url, body }, response) => {
      const path = url.split('?')[0] ?? '';
      if (method !== 'GET') sent.push({ path, body });
      if (path === '/api/channel/search') {
        if (isSearchBroken) return sendJson(response, { success: false, message: 'not now', code: 'internal_error' }, 500);
        return sendJson(response, { success: true, message: '', data: stored });
      }
      if (method === 'POST' && path === '/api/channel/batch') {
        return sendJson(response, { success: true, message: '', data: removed.length, ids: removed });
      }
      const data = path === '/api/channel/batch' ? { changed: 1, same: 0, failed: [] } : 3;
      return sendJson(response, { success: true, message: '', data });
    });
    screen = drawScreen(<Part />);
  });
  afterEach(() => {
    dropUndos();
    screen.leave();
  });

  test('a tag that is disabled can be had back as it was: only what was enabled is enabled again', async () => {
    await reported.actions?.setTag('east', false);
    await shows(() => expect(screen.text()).toContain('Undo'));
    expect(sent.map(({ path }) => path)).toEqual(['/api/channel/tag/disabled']);
    screen.press('Undo');
    await shows(() => expect(sent).toHaveLength(2));
    expect(sent[1]).toMatchObject({ path: '/api/channel/batch', body: { ids: [7], status: 1 } });
    await shows(() => expect(screen.text()).toContain('Undone'));
  });

  test('of those that were to be deleted the ones that were are restored', async () => {
    await reported.actions?.remove([7, 8, 9, 10]);
    await shows(() => expect(screen.text()).toContain('3 channels are deleted and get no more calls.'));
    screen.press('Undo');
    await shows(() => expect(sent).toHaveLength(2));
    expect(sent[1]).toEqual({ path: '/api/channel/restore', body: { ids: [7, 9, 10] } });
    await shows(() => expect(screen.text()).toContain('Undone'));
  });

  test('a deletion that found nothing offers nothing', async () => {
    removed = [];
    await reported.actions?.remove([7]);
    await shows(() => expect(screen.text()).toContain('0 channels deleted'));
    expect([...document.querySelectorAll('button')].some(({ textContent }) => textContent === 'Undo')).toBe(false);
  });

  test('enabling offers nothing, and a tag is disabled although nobody says what was enabled', async () => {
    await reported.actions?.setTag('east', true);
    isSearchBroken = true;
    await reported.actions?.setTag('east', false);
    expect(sent.map(({ path }) => path)).toEqual(['/api/channel/tag/enabled', '/api/channel/tag/disabled']);
    await shows(() => expect(screen.text()).toContain('3 channels changed'));
    expect([...document.querySelectorAll('button')].some(({ textContent }) => textContent === 'Undo')).toBe(false);
  });
});
