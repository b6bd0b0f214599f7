// Limits concurrent work on a shared resource. Waiting work is served in turns, so that no source delays the others:
// groups take turns, then their networks, then the sources within each.
import { createFairLines } from './fair-lines.ts';

export interface FairQueue {
  /**
   * Runs `work` when it is the turn of `source`.
   * @throws {QueueFull} at once if the queue is full
   */
  run<Result>(source: Source | string, work: () => Promise<Result>): Promise<Result>;
  /** Numbers of running and waiting pieces of work. */
  readonly running: number;
  readonly waiting: number;
}

/** Source of work. A string is the name of a source in its own network. */
export interface Source {
  name: string;
  /** Network that may be one party with many names. */
  network?: string;
  /** Group with an equal share of turns and slots, regardless of its size. */
  group?: string;
}

export interface FairQueueLimits {
  atOnce: number;
  /** Capacity for waiting work: in total, per network (unlimited if undefined) and per source. */
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
        // The slot passes to the next waiting work.
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
