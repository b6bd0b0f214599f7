import { describe, expect, test } from 'vitest';
import { isLow, lastFailure, okShare, stripBars, sumFigures } from './channel-figures.ts';

function hoursOf(set: Record<number, [calls: number, failures: number]>): [number, number][] {
  return Array.from({ length: 24 }, (_, at): [number, number] => set[at] ?? [0, 0]);
}

describe('figures of a channel', () => {
  test('a share is never rounded up to all, and is none without calls', () => {
    expect(okShare({ calls: 0, failures: 0 })).toBeNull();
    expect(okShare({ calls: 7, failures: 0 })).toBe(1);
    expect(okShare({ calls: 100_000, failures: 1 })).toBe(0.999);
    expect(okShare({ calls: 7, failures: 2 })).toBe(0.714);
    expect(okShare({ calls: 7, failures: 7 })).toBe(0);
  });

  test('below nine of ten it wants to be looked at', () => {
    expect(isLow({ calls: 10, failures: 1 })).toBe(false);
    expect(isLow({ calls: 1000, failures: 101 })).toBe(true);
    expect(isLow({ calls: 1, failures: 1 })).toBe(true);
    expect(isLow({ calls: 0, failures: 0 })).toBe(false);
  });

  test('the last hour with a failure', () => {
    expect(lastFailure({ hours: hoursOf({ 3: [5, 1], 9: [5, 5], 20: [8, 0] }) })).toBe(9);
    expect(lastFailure({ hours: hoursOf({ 3: [5, 0] }) })).toBe(-1);
  });

  test('of several channels: calls and failures of each hour together, and no median', () => {
    const one = {
      id: 1,
      calls: 7,
      failures: 1,
      first_byte_ms: 400,
      prompt_tokens: 1000,
      cached_tokens: 700,
      hours: hoursOf({ 3: [5, 1], 9: [2, 0] }),
    };
    const other = {
      id: 2,
      calls: 8,
      failures: 8,
      first_byte_ms: 900,
      prompt_tokens: 3000,
      cached_tokens: 1300,
      hours: hoursOf({ 9: [8, 8] }),
    };
    expect(sumFigures([one, null, undefined, other])).toMatchObject({
      calls: 15,
      failures: 9,
      first_byte_ms: null,
      prompt_tokens: 4000,
      cached_tokens: 2000,
    });
    expect(sumFigures([one, other]).hours[9]).toEqual([10, 8]);
    // What is summed up stays as it was.
    expect(one.hours[9]).toEqual([2, 0]);
    expect(sumFigures([])).toMatchObject({ calls: 0, hours: hoursOf({}) });
  });

  test('bars: one scale for both sides, the tallest fills its side, a single failure is seen', () => {
    const bars = stripBars(hoursOf({ 0: [1000, 0], 1: [500, 1], 23: [100, 100] }));
    expect(bars).toHaveLength(24);
    expect(bars[0]).toEqual({ above: 12, below: 0 });
    expect(bars[1]).toEqual({ above: 6, below: 2 });
    expect(bars[2]).toEqual({ above: 0, below: 0 });
    expect(bars[23]).toEqual({ above: 0, below: 2 });
    // Where failures are the most, they set the scale.
    expect(stripBars(hoursOf({ 5: [90, 80], 6: [40, 0] })).slice(5, 7)).toEqual([
      { above: 2, below: 8 },
      { above: 4, below: 0 },
    ]);
  });

  test('bars without a call are flat', () => {
    expect(stripBars(undefined)).toEqual(Array.from({ length: 24 }, () => ({ above: 0, below: 0 })));
  });
});
