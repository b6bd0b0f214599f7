// Work of which only so much may be done at once, because it occupies what everybody shares. Those who wait are served in
// turn, one piece of each, so that nobody waits for all that somebody else has asked for.

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
  // In the order of their turns. A source without anybody waiting is not in it.
  const sources = new Map<string, Waiting[]>();
  let running = 0;
  let waiting = 0;

  function next(): void {
    if (running >= atOnce) return;
    const [turn] = sources;
    if (turn === undefined) return;
    const [source, line] = turn;
    const first = line.shift();
    sources.delete(source);
    if (line.length > 0) sources.set(source, line);
    waiting -= 1;
    first?.start();
  }

  /** Makes a place at the cost of the source that has the most, if that is more than this one would have. */
  function makePlace(length: number): boolean {
    let longest: Waiting[] = [];
    for (const line of sources.values()) if (line.length > longest.length) longest = line;
    if (longest.length <= length + 1) return false;
    longest.pop()?.refuse();
    waiting -= 1;
    return true;
  }

  function take(source: string): Promise<void> {
    if (running < atOnce) {
      running += 1;
      return Promise.resolve();
    }
    const line = sources.get(source) ?? [];
    const hasPlace = line.length < placesPerSource && (waiting < places || makePlace(line.length));
    if (!hasPlace) return Promise.reject(new QueueFull());
    return new Promise((resolve, reject) => {
      line.push({
        start() {
          running += 1;
          resolve();
        },
        refuse: () => reject(new QueueFull()),
      });
      sources.set(source, line);
      waiting += 1;
    });
  }

  return {
    async run(source, work) {
      await take(source);
      try {
        return await work();
      } finally {
        running -= 1;
        next();
      }
    },
    get running() {
      return running;
    },
    get waiting() {
      return waiting;
    },
  };
}
