// Runs long work in steps of a few milliseconds.
import type { Bodies } from '#server/http/bodies.ts';

/** Maximum time of a step. */
const stepMs = 5;

/** Runs all steps of the work, in turn with other long work; the event loop runs between steps. */
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
