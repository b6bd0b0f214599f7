import { expect, test } from 'vitest';
import { momentOf, momentText } from './moment-text.ts';

test('a moment is written to the minute, and read again', () => {
  const seconds = Math.floor(new Date(2026, 0, 5, 7, 3, 30).getTime() / 1000);
  expect(momentText(seconds)).toBe('2026-01-05T07:03');
  expect(momentOf('2026-01-05T07:03')).toBe(seconds - 30);
});

test('no moment is an empty text, and half of one is none', () => {
  expect(momentText(undefined)).toBe('');
  expect(momentOf('')).toBeUndefined();
  expect(momentOf('soon')).toBeUndefined();
});
