// Processes due work in order, so that failing items do not block the rest.
import { DatabaseUnavailable } from '#server/db/collection.ts';

interface DueWork<Item> {
  items: Iterable<Item> | AsyncIterable<Item>;
  /** Returns false if the item is still due. */
  work: (item: Item) => Promise<unknown>;
  /** Moves failed or still due items to the end; if undefined, all due items are processed each time. */
  postpone?: (item: Item) => Promise<unknown>;
}

/** Tries all items, then throws the first failure for the job's log. Stops if the database is unavailable. */
export async function eachDue<Item>({ items, work, postpone }: DueWork<Item>): Promise<void> {
  const failures: unknown[] = [];
  for await (const item of items) {
    const isDone = await tried(() => work(item), failures);
    if (isDone === false) await tried(async () => postpone?.(item), failures);
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * Returns false on failure, too.
 * @throws {DatabaseUnavailable}
 */
async function tried(work: () => Promise<unknown>, failures: unknown[]): Promise<unknown> {
  try {
    return await work();
  } catch (failure) {
    if (failure instanceof DatabaseUnavailable) throw failure;
    failures.push(failure);
    return false;
  }
}
