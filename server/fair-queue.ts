// Work of which only so much may be done at once, because it occupies what everybody shares. Those who wait are served in
// turn, one piece of each, so that nobody waits for all that somebody else has asked for.
import { createTurnQueue } from '#server/turn-queue.ts';

export interface FairQueue {
  /** Runs `work` when it is the turn of `source`. @throws {QueueFull} at once when there is no place to wait */
  run<Result>(source: string, work: () => Promise<Result>): Promise<Result>;
  /** Pieces that run, and that wait. */
  readonly running: number;
  readonly waiting: number;
}

export interface FairQueueLimits {
  atOnce: number;
  /** Places for those who wait, in all and of one source. */
  places: number;
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

export function createFairQueue({ atOnce, places, placesPerSource }: FairQueueLimits): FairQueue {
  const queue = createTurnQueue<string, Waiting>();
  let running = 0;

  function take(source: string): Promise<void> {
    if (running < atOnce) {
      running += 1;
      return Promise.resolve();
    }
    const own = queue.of(source).length;
    if (own >= placesPerSource || (queue.size >= places && !makePlace(own))) return Promise.reject(new QueueFull());
    return new Promise((resolve, reject) => {
      queue.add(source, { start: resolve, refuse: () => reject(new QueueFull()) });
    });
  }

  /** At the cost of the source that has the most, if that is more than this one would have. */
  function makePlace(own: number): boolean {
    const last = queue.takeLastBeyond(own + 1);
    last?.refuse();
    return last !== undefined;
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
