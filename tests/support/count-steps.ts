// Work as a number that no load of the machine changes: how often functions and blocks of our code run, as V8 counts them.
import { Session } from 'node:inspector';

interface Coverage {
  result: { url: string; functions: { ranges: { count: number }[] }[] }[];
}

export interface StepCounter extends Disposable {
  /** Functions, branches and turns of loops of the server that ran. What engines do by themselves, such as copying a list, is not in it. */
  count(work: () => unknown): number;
}

/** One for a file of tests: what was compiled before it is counted by functions alone. */
export function createStepCounter(): StepCounter {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const take = (): Coverage => {
    let taken: Coverage = { result: [] };
    session.post('Profiler.takePreciseCoverage', (failure, coverage) => {
      if (failure !== null) throw failure;
      taken = coverage;
    });
    return taken;
  };
  take();
  return {
    count(work) {
      work();
      const ours = take().result.filter(({ url }) => /\/(?:server|shared)\//.test(url) && !url.includes('.test.'));
      return ours.reduce(
        (sum, { functions }) => sum + functions.flatMap(({ ranges }) => ranges).reduce((all, { count }) => all + count, 0),
        0,
      );
    },
    [Symbol.dispose]() {
      session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}
