import { expect, test } from 'vitest';
import { noUsage } from '#shared/dashboard.ts';
import { ratesOf } from './call-rates.ts';

const start = 1_795_046_400;
const hour = { start, end: start + 3_600, at: start + 3_600 };

test('call-rates: by the minute of the time that has passed', () => {
  const whole = { ...noUsage, calls: 30, prompt_tokens: 400, completion_tokens: 200 };
  expect(ratesOf(hour, whole)).toEqual({ calls: 0.5, tokens: 10 });
  expect(ratesOf({ ...hour, at: start + 600 }, whole)).toEqual({ calls: 3, tokens: 60 });
});

test('call-rates: rare calls have none', () => {
  expect(ratesOf(hour, { ...noUsage, calls: 2 })).toBeUndefined();
  expect(ratesOf(hour, { ...noUsage, calls: 3 })).toEqual({ calls: 0.05, tokens: 0 });
});
