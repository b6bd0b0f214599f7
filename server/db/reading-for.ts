// For which account lists are read. It goes along with the work that is begun under it, so that the engines need not be told with each
// query. Only around work that reads and is waited for: what goes on behind an answer is nobody's.
import { AsyncLocalStorage } from 'node:async_hooks';

const reading = new AsyncLocalStorage<string>();

/** Long reads of `work` come one after the other with all others of the same account. */
export function readingFor<Result>(account: string, work: () => Result): Result {
  return reading.run(account, work);
}

export function readingAccount(): string | undefined {
  return reading.getStore();
}
