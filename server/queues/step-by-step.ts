// Long work in steps, the event loop free after every few milliseconds of it.
import { setImmediate as turnOfOthers } from 'node:timers/promises';

/** Longer than this nobody waits for the event loop. */
const stepMs = 5;

/** Runs all steps of the work, the first one after everybody else's turn: whoever has the work may have taken long to make it. */
export async function stepByStep<Result>(work: Generator<void, Result>): Promise<Result> {
  // From a timer the first one comes before other timers.
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
