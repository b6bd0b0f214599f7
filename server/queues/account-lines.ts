// Only so much work of one account at a time; the rest of it waits in a line of its own.
import { createFairQueue } from './fair-queue.ts';
import type { FairQueue } from './fair-queue.ts';

export class AccountLines {
  readonly #lines = new Map<string, FairQueue>();
  readonly #limits: { atOnce: number; places: number };

  constructor(limits: { atOnce: number; places: number }) {
    this.#limits = limits;
  }

  /** @throws {QueueFull} at once when there is no place to wait */
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

  /** Accounts with work here. */
  get size(): number {
    return this.#lines.size;
  }
}
