import { describe, expect, it } from 'vitest';
import { createTurns } from './turns.ts';

/** A clock that advances with work only. */
function createClock() {
  const clock = {
    time: 0,
    yields: 0,
    rests: [] as number[],
    now: () => clock.time,
    yield: (then: () => void) => {
      clock.yields += 1;
      setImmediate(then);
    },
    rest: (then: () => void, ms: number) => {
      clock.rests.push(ms);
      setImmediate(then);
    },
  };
  return clock;
}

describe('turns', () => {
  it('rest as long as work took, and not at all after work that takes nothing', async () => {
    const clock = createClock();
    const inTurn = createTurns(clock);
    for (let count = 0; count < 1_000; count += 1) await inTurn('one', () => count);
    expect(clock.rests).toEqual([]);
    await inTurn('one', () => (clock.time += 40));
    await inTurn('one', () => (clock.time += 5_000));
    expect(clock.rests).toEqual([40, 1_000]);
  });

  it('owe what short work takes in all', async () => {
    const clock = createClock();
    const inTurn = createTurns(clock);
    for (let count = 0; count < 100; count += 1) await inTurn('one', () => (clock.time += 0.25));
    expect(clock.rests).toEqual(Array.from({ length: 25 }, () => 1));
  });

  it('short work of many shares a turn of the loop, long work has one of its own', async () => {
    const clock = createClock();
    const inTurn = createTurns(clock);
    await Promise.all(Array.from({ length: 100 }, (_, owner) => inTurn(`user:${owner}`, () => owner)));
    expect(clock.yields).toBeLessThanOrEqual(3);
    await Promise.all(Array.from({ length: 10 }, (_, owner) => inTurn(`user:${owner}`, () => (clock.time += 3))));
    expect(clock.rests).toEqual(Array.from({ length: 10 }, () => 3));
  });

  it('go from owner to owner, whatever one has asked for, and a failure is the failure of its own work', async () => {
    const inTurn = createTurns(createClock());
    const done: string[] = [];
    const failing = () => {
      throw new Error('of its own');
    };
    const first = Array.from({ length: 3 }, (_, count) => inTurn('one', () => done.push(`one ${count}`)));
    const broken = inTurn('two', failing);
    const last = inTurn('three', () => done.push('three'));
    await expect(broken).rejects.toThrow('of its own');
    await Promise.all([...first, last]);
    expect(done).toEqual(['one 0', 'three', 'one 1', 'one 2']);
  });
});
