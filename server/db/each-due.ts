// Work that is due, one after the other, where what cannot be done must not stand in front of the rest.
import { DatabaseUnavailable } from '#server/db/collection.ts';

interface DueWork<Item> {
  items: Iterable<Item> | AsyncIterable<Item>;
  /** False: it is still due. */
  work: (item: Item) => Promise<unknown>;
  /** Puts what failed, or is still due, behind the others; absent: all that is due is looked at each time. */
  postpone?: (item: Item) => Promise<unknown>;
}

/** Tries all of them; then throws the first failure, so that the job tells it. Without a database nothing is tried further. */
export async function eachDue<Item>({ items, work, postpone }: DueWork<Item>): Promise<void> {
  const failures: unknown[] = [];
  for await (const item of items) {
    const isDone = await tried(() => work(item), failures);
    if (isDone === false) await tried(async () => postpone?.(item), failures);
  }
  if (failures.length > 0) throw failures[0];
}

/** False also for what fails. @throws {DatabaseUnavailable} */
async function tried(work: () => Promise<unknown>, failures: unknown[]): Promise<unknown> {
  try {
    return await work();
  } catch (failure) {
    if (failure instanceof DatabaseUnavailable) throw failure;
    failures.push(failure);
    return false;
  }
}
