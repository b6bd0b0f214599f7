// Work that continues after its request was answered, counted so that a shutdown can wait for it.

export interface PendingWork {
  /** `work` never rejects. */
  add(work: Promise<unknown>): void;
  /** Resolves when there is none, also of what was added meanwhile. */
  done(): Promise<void>;
}

/**
 * Only counts. A Set that thousands of entries a second pass through is rebuilt every few dozen of them, and each former table retains its last
 * entries, and the next table, until the next full collection.
 */
export function createPendingWork(): PendingWork {
  let count = 0;
  let waiting: (() => void)[] = [];
  const ended = () => {
    count -= 1;
    if (count > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  return {
    add(work) {
      count += 1;
      void work.then(ended, ended);
    },
    async done() {
      while (count > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}
