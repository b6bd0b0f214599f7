// Schedules long work of all owners on the event loop, one owner after the other.
import { createTurnQueue } from './turn-queue.ts';

/** Runs long work one at a time, owners in turn, and leaves as much time to other work as it took. */
export type InTurn = <Result>(owner: string, work: () => Result) => Promise<Result>;

/** Time in milliseconds, and ways to yield to the event loop. */
export interface TurnClock {
  now(): number;
  /** Yields until other pending work has run. */
  yield(then: () => void): void;
  rest(then: () => void, ms: number): void;
}

const eventLoop: TurnClock = {
  now: () => performance.now(),
  yield: (then) => void setImmediate(then),
  rest: (then, ms) => void setTimeout(then, ms),
};

/** A timer takes at least a millisecond; shorter work adds up before resting. */
const shortestRestMs = 1;
const longestRestMs = 1_000;

export function createTurns(clock = eventLoop): InTurn {
  const waiting = createTurnQueue<string, () => void>();
  let isBusy = false;
  /** Time that work has taken and that is still to be left to others. */
  let owed = 0;

  function next(): void {
    const before = clock.now();
    let work = waiting.take();
    if (work === undefined) {
      isBusy = false;
      return;
    }
    for (; work !== undefined; work = owed + clock.now() - before < shortestRestMs ? waiting.take() : undefined) work();
    owed += clock.now() - before;
    if (owed < shortestRestMs) {
      clock.yield(next);
      return;
    }
    const rest = Math.min(owed, longestRestMs);
    owed = 0;
    clock.rest(next, rest);
  }

  return (owner, work) =>
    new Promise((resolve, reject) => {
      waiting.add(owner, () => {
        try {
          resolve(work());
        } catch (failure) {
          reject(failure instanceof Error ? failure : new Error(String(failure)));
        }
      });
      if (isBusy) return;
      isBusy = true;
      clock.yield(next);
    });
}
