// Limits concurrent work per account; the rest waits in a queue per account.
import { createFairQueue, type FairQueue } from './fair-queue.ts';

export class AccountLines {
  readonly #lines = new Map<string, FairQueue>();
  readonly #limits: { atOnce: number; places: number };

  constructor(limits: { atOnce: number; places: number }) {
    this.#limits = limits;
  }

  /** @throws {QueueFull} at once if the queue is full */
  async run<Result>(account: string, work: () => Promise<Result>): Promise<Result> {
    const { atOnce, places } = this.#limits;
    const line = this.#lines.get(account) ?? createFairQueue({ atOnce, places, placesPerSource: places });
    this.#lines.set(account, line);
    try {
      return await line.run(account, work);
    } finally {
      if (line.running === 0 && this.#lines.get(account) === line) this.#lines.delete(account);
    }
  }

  /** Number of accounts with work. */
  get size(): number {
    return this.#lines.size;
  }
}
