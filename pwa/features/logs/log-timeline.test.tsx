import { act } from 'react';
import { onlineManager } from '@tanstack/react-query';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { UsageFigures, UsageSums } from '#shared/dashboard.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { hasTimeline } from './log-search.ts';
import { LogTimeline, Picture } from './log-timeline.tsx';

let server: FixtureServer;
let screen: DrawnScreen;
beforeAll(async () => {
  await startScreenTexts('logs');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.asked.length = 0;
});
afterEach(() => {
  screen?.leave();
  onlineManager.setOnline(true);
});

const midnight = Math.floor(new Date(2026, 10, 21).getTime() / 1000);
const sums = (calls: number, errors: number): UsageSums => ({
  calls,
  errors,
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  first_byte_ms: 0,
  duration_ms: 0,
});

function figuresOf(whole: UsageSums[]): UsageFigures {
  const steps = whole.map((_, index) => midnight + index * 3600);
  const others = { count: 0, sums: sums(0, 0) };
  const bounds = { start: midnight, end: midnight + 86_400, at: midnight + 3 * 3600, step: 'hour' as const, by: 'model' as const };
  return { ...bounds, steps, whole, previous: [], previous_so_far: sums(0, 0), totals: [], others, series: [], complete_from: null };
}

test('log timeline: bars are the hours with calls, failures hang below them, and an hour pressed is asked for', () => {
  let asked = 0;
  screen = drawScreen(
    <Picture figures={figuresOf([sums(4, 0), sums(0, 0), sums(8, 2)])} range="today" onHour={(start) => (asked = start)} />,
  );
  const hours = [...document.querySelectorAll('svg g')];
  expect(hours.map((hour) => hour.querySelectorAll('rect').length - 1)).toEqual([1, 0, 2]);
  // A morning is drawn as one: the rest of the day stays empty.
  expect(document.querySelector('svg')?.getAttribute('viewBox')).toMatch(/^0 0 240 /);
  expect(document.querySelector('figure > div')?.textContent).toBe('00:0006:0012:0018:00');
  expect(hours[2]?.querySelector('title')?.textContent).toMatch(/8.*2/);
  act(() => void hours[2]?.dispatchEvent(new MouseEvent('click', { bubbles: true })));
  expect(asked).toBe(midnight + 2 * 3600);
});

test('log timeline: a list that is narrowed, or of minutes, has none', () => {
  expect(hasTimeline({ filters: {}, range: { range: 'today' } })).toBe(true);
  expect(hasTimeline({ filters: {}, range: { range: 'week' } })).toBe(true);
  expect(hasTimeline({ filters: { model: 'gpt-4o' }, range: { range: 'today' } })).toBe(false);
  expect(hasTimeline({ filters: {}, range: { range: 'hour' } })).toBe(false);
});

function openTimeline(): { room: () => Element | null } {
  screen = drawScreen(
    <main>
      <LogTimeline list={{ isAdmin: false, filters: {}, range: { range: 'today' } }} onNarrow={() => {}} />
    </main>,
  );
  return { room: () => document.querySelector('main > div') };
}

test('log timeline: its place is kept while it is read', async () => {
  server.answer((_asked, response) => sendJson(response, { success: true, message: '', data: figuresOf([sums(4, 0)]) }));
  const { room } = openTimeline();
  expect(room()).not.toBeNull();
  await shows(() => expect(room()?.querySelector('svg')).not.toBeNull());
});

test('log timeline: what could not be read takes no room', async () => {
  server.answer((_asked, response) => sendJson(response, { success: false, message: 'not now', code: 'refused' }));
  const { room } = openTimeline();
  await shows(() => expect(room()).toBeNull());
});

test('log timeline: without a network and without a copy it takes no room', () => {
  onlineManager.setOnline(false);
  expect(openTimeline().room()).toBeNull();
  expect(server.asked).toEqual([]);
});
