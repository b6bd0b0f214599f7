// Work that would take long, a few milliseconds at a time.
import type { Bodies } from '#server/http/bodies.ts';

/** Longer than this nobody waits for the event loop. */
const stepMs = 5;

/** Runs all steps of the work, in turn with everybody's long work; the loop is free in between. */
export async function inSteps<Result>(bodies: Bodies, owner: string, work: Generator<void, Result>): Promise<Result> {
  const run = (): IteratorResult<void, Result> => {
    const end = performance.now() + stepMs;
    let step = work.next();
    while (step.done !== true && performance.now() < end) step = work.next();
    return step;
  };
  for (;;) {
    const step = await bodies.inTurn(owner, run);
    if (step.done === true) return step.value;
  }
}
