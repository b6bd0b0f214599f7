import { act } from 'react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type DrawnScreen, drawScreen, startScreenTexts } from '#tests/support/console-screen.tsx';
import { NewYear } from './new-year.tsx';

let screen: DrawnScreen;
const fireworks = () => document.querySelectorAll('[data-fireworks]').length;
const celebrate = () => screen.press('Happy New Year!');

const pass = (ms: number) =>
  act(() => {
    vi.advanceTimersByTime(ms);
  });

beforeAll(() => startScreenTexts('shell'));
beforeEach(() => {
  vi.useFakeTimers();
  screen = drawScreen(<NewYear />);
});
afterEach(() => {
  screen.leave();
  vi.useRealTimers();
});

it('new-year: fireworks for three seconds, as often as they are asked for', () => {
  expect(fireworks()).toBe(0);
  celebrate();
  expect(fireworks()).toBe(1);
  pass(2900);
  celebrate();
  pass(2900);
  expect(fireworks()).toBe(1);
  pass(200);
  expect(fireworks()).toBe(0);
});
