import { afterEach, beforeAll, expect, test } from 'vitest';
import { type DrawnScreen, drawScreen, startScreenTexts } from '#tests/support/console-screen.tsx';
import { HourChart } from './hour-chart.tsx';
import type { TodayHour } from './today.ts';

let screen: DrawnScreen;
beforeAll(() => startScreenTexts('home'));
afterEach(() => screen.leave());

const sums = (quota: number) => ({
  calls: 1,
  errors: 0,
  quota,
  prompt_tokens: 0,
  completion_tokens: 0,
  first_byte_ms: 0,
  duration_ms: 0,
});
const draw = (today: number, yesterday: number): void => {
  const hours: TodayHour[] = [
    { start: 1_795_305_600, today: sums(today), yesterday: sums(yesterday), isNow: false },
    { start: 1_795_309_200, today: undefined, yesterday: sums(0), isNow: false },
  ];
  screen = drawScreen(<HourChart label="Spent" hours={hours} value={({ quota }) => quota} format={(value) => `${value} units`} />);
};

test('hour chart: the upper line is a round number above the largest hour of either day', () => {
  draw(3, 7);
  expect(screen.text()).toContain('8 units');
  expect(document.querySelectorAll('rect[class]')).toHaveLength(1);
});

test('hour chart: a day without spending names no amount that nobody spent', () => {
  draw(0, 0);
  expect(screen.text()).not.toContain('units');
  expect(document.querySelectorAll('rect[class]')).toHaveLength(0);
});
