import { describe, expect, it } from 'vitest';
import { roundTicks } from './round-ticks.ts';

describe('round-ticks', () => {
  it('are steps of 1, 2 or 5 and their tens, up to what there is most of', () => {
    expect(roundTicks(18_000)).toEqual([0, 5_000, 10_000, 15_000, 20_000]);
    expect(roundTicks(6)).toEqual([0, 2, 4, 6]);
    expect(roundTicks(4)).toEqual([0, 1, 2, 3, 4]);
    expect(roundTicks(0.3)).toEqual([0, 0.1, 0.2, 0.3]);
  });

  it('are round in the unit that is shown', () => {
    expect(roundTicks(680_000, { unit: 500_000 }).map((tick) => tick / 500_000)).toEqual([0, 0.5, 1, 1.5]);
  });

  it('of things that are counted are whole, and one of them does not fill the picture', () => {
    expect(roundTicks(1, { isCount: true })).toEqual([0, 1, 2, 3, 4]);
    expect(roundTicks(4, { isCount: true })).toEqual([0, 1, 2, 3, 4]);
    expect(roundTicks(13, { isCount: true })).toEqual([0, 5, 10, 15]);
  });

  it('stand also where there is nothing', () => {
    expect(roundTicks(0)).toEqual([0, 1]);
    expect(roundTicks(Number.NaN)).toEqual([0, 1]);
  });
});
