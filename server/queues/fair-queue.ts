// Work of which only so much may be done at once, because it occupies what everybody shares. Those who wait are served in
// turn, one piece of each, so that nobody waits for all that somebody else has asked for: first the groups take turns, in
// each of them its networks, in each of those its sources.
import { createFairLines } from './fair-lines.ts';

export interface FairQueue {
  /** Runs `work` when it is the turn of `source`. @throws {QueueFull} at once when there is no place to wait */
  run<Result>(source: Source | string, work: () => Promise<Result>): Promise<Result>;
  /** Pieces that run, and that wait. */
  readonly running: number;
  readonly waiting: number;
}

/** Who asks. A text is the name of a source that stands for itself. */
export interface Source {
  name: string;
  /** What may be one party with many names. */
  network?: string;
  /** Those who share turns and places evenly with every other group, however many they are. */
  group?: string;
}

export interface FairQueueLimits {
  atOnce: number;
  /** Places for those who wait: in all, of one network (no limit of its own if absent) and of one source. */
  places: number;
  placesPerNetwork?: number;
  placesPerSource: number;
}

export class QueueFull extends Error {
  constructor() {
    super('There is no place in the queue');
    this.name = 'QueueFull';
  }
}

interface Waiting {
  start(): void;
  refuse(): void;
}

export function createFairQueue({ atOnce, places, placesPerNetwork = places, placesPerSource }: FairQueueLimits): FairQueue {
  const queue = createFairLines<Waiting>([places, places, placesPerNetwork, placesPerSource]);
  let running = 0;

  function take(source: Source | string): Promise<void> {
    if (running < atOnce) {
      running += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiting = { start: resolve, refuse: () => reject(new QueueFull()) };
      const { isAdded, given } = queue.add(pathOf(source), waiting);
      given?.refuse();
      if (!isAdded) waiting.refuse();
    });
  }

  return {
    async run(source, work) {
      await take(source);
      try {
        return await work();
      } finally {
        // The place goes over to who is next.
        const next = queue.take();
        if (next === undefined) running -= 1;
        else next.start();
      }
    },
    get running() {
      return running;
    },
    get waiting() {
      return queue.size;
    },
  };
}

/** Group, network, name. */
function pathOf(source: Source | string): string[] {
  const { name, network = name, group = '' } = typeof source === 'string' ? { name: source } : source;
  return [group, network, name];
}
