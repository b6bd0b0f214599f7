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
  const bars = [...document.querySelectorAll('svg g')];
  expect(bars.map((hour) => hour.querySelectorAll('rect').length)).toEqual([1, 0, 2]);
  // A morning is drawn as one: the rest of the day stays empty.
  expect(document.querySelector('svg')?.getAttribute('viewBox')).toMatch(/^0 0 240 /);
  expect(document.querySelector('figure > div:last-child')?.textContent).toBe('00:0006:0012:0018:00');
  const hours = [...document.querySelectorAll<HTMLElement>('figure button')];
  expect(hours[2]?.getAttribute('aria-label')).toMatch(/8.*2/);
  act(() => hours[2]?.click());
  expect(asked).toBe(midnight + 2 * 3600);
});

test('log timeline: one stop of the tab key, arrows walk the hours, and the one reached is read and pressed', () => {
  let asked = 0;
  screen = drawScreen(
    <main id="main" tabIndex={-1}>
      <Picture
        figures={figuresOf(Array.from({ length: 50 }, (_, hour) => sums(hour, 0)))}
        range="week"
        onHour={(start) => (asked = start)}
      />
    </main>,
  );
  const hours = [...document.querySelectorAll<HTMLElement>('figure button')];
  const stops = () => hours.flatMap((hour, index) => (hour.tabIndex === 0 ? [index] : []));
  const press = (key: string, ctrlKey = false): boolean => {
    const event = new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true });
    act(() => void document.activeElement?.dispatchEvent(event));
    return event.defaultPrevented;
  };
  const caption = () => document.querySelector('figcaption')?.textContent;
  const title = caption();
  expect(stops()).toEqual([49]);
  act(() => hours[49]?.focus());
  expect(caption()).toBe(hours[49]?.getAttribute('aria-label'));
  const reached = (
    [
      ['ArrowRight', false],
      ['ArrowLeft', false],
      ['ArrowLeft', true],
      ['ArrowLeft', true],
      ['ArrowLeft', true],
      ['End', false],
      ['Home', false],
      ['ArrowRight', true],
    ] as const
  ).map(([key, ctrl]) => {
    expect(press(key, ctrl)).toBe(true);
    return hours.findIndex((hour) => hour === document.activeElement);
  });
  expect(reached).toEqual([49, 48, 24, 0, 0, 49, 0, 24]);
  expect(stops()).toEqual([24]);
  expect(caption()).toBe(hours[24]?.getAttribute('aria-label'));
  // Keys of the list stay its own.
  expect(press('j')).toBe(false);
  act(() => hours[24]?.click());
  expect(asked).toBe(midnight + 24 * 3600);
  expect(document.activeElement?.id).toBe('main');
  expect(caption()).toBe(title);
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
