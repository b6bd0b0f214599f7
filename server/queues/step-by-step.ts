// Runs long work in steps of a few milliseconds, yielding to the event loop.
import { setImmediate as turnOfOthers } from 'node:timers/promises';

/** Maximum time of a step. */
const stepMs = 5;

/** Runs all steps of the work; yields first, because preparing the work may have taken long. */
export async function stepByStep<Result>(work: Generator<void, Result>): Promise<Result> {
  // Twice, because after a timer the first one precedes other timers.
  await turnOfOthers();
  for (;;) {
    await turnOfOthers();
    const end = performance.now() + stepMs;
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (performance.now() < end);
  }
}
