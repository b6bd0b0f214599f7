import { expect, test } from 'vitest';
import type { ModelStateRecord } from '#server/db/records/status-page.ts';
import { judge, type ModelWindow } from './judge-model.ts';

const start = 1_800_000_000;
const calm: ModelWindow = { answered: 50, failed: 0, firstTokens: 50, medianMs: 400, usualMs: 400, isServed: true };

/** States after each minute with these windows. */
function run(windows: readonly Partial<ModelWindow>[], first: ModelStateRecord | null = null): ModelStateRecord[] {
  let state = first;
  return windows.map((window, minute) => (state = judge('tide', state, { ...calm, ...window }, start + minute * 60)));
}
const states = (windows: readonly Partial<ModelWindow>[]) => run(windows).map(({ state }) => state);
const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);

test('judge-model: a model is down when two judgements in a row say so, since the first of them', () => {
  const failing = { answered: 20, failed: 20 };
  expect(states([{}, failing, {}, failing, {}])).toEqual(times(5, 'operational'));
  const judged = run([{}, failing, failing]);
  expect(judged.map(({ state }) => state)).toEqual(['operational', 'operational', 'down']);
  expect(judged.at(-1)?.since).toBe(start + 60);
});

test('judge-model: few failures, or a small share of them, take nobody down', () => {
  expect(states(times(4, { answered: 0, failed: 4 }))).not.toContain('down');
  expect(states(times(4, { answered: 5, failed: 4 }))).not.toContain('down');
  expect(states(times(4, { answered: 80, failed: 20 }))).not.toContain('down');
  expect(states(times(4, { answered: 7, failed: 5 }))).toContain('down');
});

test('judge-model: between the bounds a state stays, so that it does not flap', () => {
  const down = { answered: 20, failed: 20 };
  const between = { answered: 80, failed: 20 };
  expect(states([{}, down, down, between, between, between, between, between]).slice(2)).toEqual(times(6, 'down'));
  expect(states([{}, down, down, {}, {}, between, {}, {}, {}]).slice(2)).toEqual([...times(6, 'down'), 'operational']);
  // The other way round: never down by it.
  expect(states(times(6, between))).toEqual(times(6, 'operational'));
});

test('judge-model: slow is against the usual first token of the model, and ends below that', () => {
  expect(states([{}, { medianMs: 900 }, { medianMs: 900 }])).toEqual(['operational', 'operational', 'slow']);
  expect(states([{}, ...times(3, { medianMs: 900, firstTokens: 9 })])).not.toContain('slow');
  // Twice of little is no disturbance.
  expect(states([{}, ...times(3, { usualMs: 100, medianMs: 350 })])).not.toContain('slow');
  expect(states([{}, ...times(3, { usualMs: null, medianMs: 9000 })])).not.toContain('slow');
  expect(states([{}, ...times(2, { medianMs: 900 }), ...times(4, { medianMs: 700 })]).slice(2)).toEqual(times(5, 'slow'));
  expect(states([{}, ...times(2, { medianMs: 900 }), ...times(3, { medianMs: 590 })]).at(-1)).toBe('operational');
});

test('judge-model: without calls a state stays for a while, then nothing is known', () => {
  const quiet = { answered: 0, failed: 0, firstTokens: 0, medianMs: null };
  const well = states([{}, ...times(70, quiet)]);
  expect(well[50]).toBe('operational');
  expect(well.at(-1)).toBe('unknown');
  const down = states([{}, ...times(2, { answered: 0, failed: 40 }), ...times(40, quiet)]);
  expect(down[20]).toBe('down');
  expect(down.at(-1)).toBe('unknown');
  expect(states([quiet])).toEqual(['unknown']);
});

test('judge-model: a model without a channel is down without a call, and one call is enough to see it well', () => {
  const none = { answered: 0, failed: 0, firstTokens: 0, medianMs: null };
  const judged = states([{ ...none, isServed: false }, { ...none, isServed: false }, none]);
  expect(judged).toEqual(['unknown', 'down', 'unknown']);
  expect(states([{ ...none, isServed: false }, { ...none, isServed: false }, none, { answered: 1 }]).at(-1)).toBe('operational');
});
