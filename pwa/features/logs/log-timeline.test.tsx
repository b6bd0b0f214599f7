import { act } from 'react';
import { onlineManager } from '@tanstack/react-query';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { UsageFigures, UsageSums } from '#shared/dashboard.ts';
import type { LogTimeline as Timeline } from '#shared/logs.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { timelineSpan } from './log-search.ts';
import { LogTimeline, Picture } from './log-timeline.tsx';

let server: FixtureServer;
let screen: DrawnScreen;
beforeAll(async () => {
  await startScreenTexts('logs');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requested.length = 0;
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

function timelineOf(whole: UsageSums[], at = midnight + whole.length * 3600): Timeline {
  const { steps } = figuresOf(whole);
  const counts = { calls: whole.map(({ calls }) => calls), errors: whole.map(({ errors }) => errors) };
  return { step: 'hour', start: midnight, end: midnight + whole.length * 3600, at, steps, ...counts };
}

test('log timeline: bars are the hours with calls, failures hang below them, and an hour pressed is asked for', () => {
  let requested = 0;
  screen = drawScreen(
    <Picture
      timeline={timelineOf([sums(4, 0), sums(0, 0), sums(8, 2)], midnight + 2.5 * 3600)}
      end={midnight + 86_400}
      countsCalls
      onStep={(from) => (requested = from)}
    />,
  );
  const bars = [...document.querySelectorAll('svg g')];
  expect(bars.map((hour) => hour.querySelectorAll('rect').length)).toEqual([1, 0, 1]);
  // The hour that is not over is hatched, and now stands in it.
  expect(document.querySelector<HTMLElement>('[style*=height]')?.style.insetInlineStart).toBe(`${(21 * 100) / 240}%`);
  const now = [...document.querySelectorAll<HTMLElement>('figure span')].find((one) => one.textContent === 'Now');
  expect(Number.parseFloat(now?.style.insetInlineStart ?? '')).toBeCloseTo((2.5 / 24) * 100, 3);
  // A morning is drawn as one: the rest of the day stays empty.
  expect(document.querySelector('svg')?.getAttribute('viewBox')).toMatch(/^0 0 240 /);
  expect(document.querySelector('figure > div:last-child')?.textContent).toBe('00:0006:0012:0018:00');
  const hours = [...document.querySelectorAll<HTMLElement>('figure button')];
  expect(hours[2]?.getAttribute('aria-label')).toMatch(/8.*2/);
  act(() => hours[2]?.click());
  expect(requested).toBe(midnight + 2 * 3600);
});

test('log timeline: one stop of the tab key, arrows walk the hours, and the one reached is read and pressed', () => {
  let requested = 0;
  screen = drawScreen(
    <main id="main" tabIndex={-1}>
      <Picture
        timeline={timelineOf(Array.from({ length: 50 }, (_, hour) => sums(hour, 0)))}
        end={midnight + 50 * 3600}
        countsCalls
        onStep={(from) => (requested = from)}
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
  expect(requested).toBe(midnight + 24 * 3600);
  // The picture stays, with what was pressed.
  expect(document.activeElement).toBe(hours[24]);
  act(() => hours[24]?.blur());
  expect(caption()).toBe(title);
});

test('log timeline: spans the days around a range, by the day where they are many', () => {
  const now = (midnight + 15 * 3600) * 1000;
  const day = 86_400;
  const at = (start?: number, end?: number) => timelineSpan({ start, end }, now);
  expect(at(midnight + 14 * 3600)).toEqual({ start: midnight, end: midnight + day, step: 'hour' });
  expect(at(midnight - 2 * day + 3600, midnight - 2 * day + 7199)).toEqual({
    start: midnight - 6 * day,
    end: midnight + day,
    step: 'hour',
  });
  expect(at(midnight - 40 * day + 60, midnight - 38 * day)).toMatchObject({ end: midnight - 37 * day, step: 'hour' });
  expect(at(midnight - 40 * day, midnight - 10 * day)).toMatchObject({ step: 'day' });
  const all = at();
  expect(all).toMatchObject({ end: midnight + day, step: 'day' });
  expect(Math.round((all.end - all.start) / day)).toBe(92);
});

test('log timeline: a list that is narrowed has one of what it lists, with the hour that was pressed', async () => {
  server.answer((_asked, response) => sendJson(response, { success: true, message: '', data: timelineOf([sums(4, 0), sums(2, 1)]) }));
  const range = { range: 'custom' as const, from: midnight + 3600, to: midnight + 7199 };
  screen = drawScreen(<LogTimeline list={{ isAdmin: true, filters: { model: '"o3"' }, range }} onNarrow={() => {}} />);
  await shows(() => expect(document.querySelectorAll('svg g')).toHaveLength(2));
  expect(server.requested[0]?.url).toMatch(/^\/api\/log\/timeline\?.*model_name=o3/);
  expect([...document.querySelectorAll('svg g')].map((bar) => bar.querySelectorAll('rect').length)).toEqual([1, 3]);
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
  expect(server.requested).toEqual([]);
});
