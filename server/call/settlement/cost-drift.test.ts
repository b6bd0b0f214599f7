import { expect, test } from 'vitest';
import { createCostDrift } from './cost-drift.ts';

const day = 24 * 3_600_000;

function watch() {
  let time = 20_000 * day;
  const drift = createCostDrift({ now: () => time });
  return {
    note: (key: string, ours: number, reported: number, percent = 20) => drift.noted({ key, ours, reported }, percent),
    pass: (milliseconds: number) => (time += milliseconds),
  };
}

test('sums that differ by more than the threshold are reported once a day', () => {
  const { note, pass } = watch();
  for (let call = 1; call < 5; call += 1) expect(note('1 m', 0.01, 0.02)).toBeUndefined();
  expect(note('1 m', 0.01, 0.02)).toMatchObject({ calls: 5, ours: expect.closeTo(0.05), reported: expect.closeTo(0.1) });
  expect(note('1 m', 0.01, 0.02)).toBeUndefined();
  pass(day);
  for (let call = 1; call < 5; call += 1) expect(note('1 m', 0.01, 0.02)).toBeUndefined();
  expect(note('1 m', 0.01, 0.02)).toBeDefined();
});

test.each([
  ['near', 0.01, 0.0119],
  ['so small that rounding is all', 0.000_004, 0.000_001],
  ['free at the provider', 0.01, 0],
])('sums that are %s are not reported', (_what, ours, reported) => {
  const { note } = watch();
  for (let call = 0; call < 50; call += 1) expect(note('1 m', ours, reported)).toBeUndefined();
});

test('a price above that of the provider is reported too; a threshold of 0 reports nothing', () => {
  const { note } = watch();
  for (let call = 0; call < 50; call += 1) expect(note('1 m', 0.05, 0.02, 0)).toBeUndefined();
  expect(note('1 m', 0.05, 0.02)).toBeDefined();
});

test('stored models and reports are limited, however many names callers invent', () => {
  const { note } = watch();
  let alerted = 0;
  for (let name = 0; name < 100; name += 1) for (let call = 0; call < 6; call += 1) if (note(`1 ${name}`, 1, 2) !== undefined) alerted += 1;
  expect(alerted).toBe(20);
  for (let name = 0; name < 1100; name += 1) note(`2 ${name}`, 1, 2);
  // The first were evicted, and start from zero.
  for (let call = 0; call < 4; call += 1) expect(note('2 0', 1, 2)).toBeUndefined();
});
