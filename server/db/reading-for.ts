// Account on whose behalf lists are read, in async context, so that queries need no parameter. Use it only around
// awaited reads: work after the response belongs to no account.
import { AsyncLocalStorage } from 'node:async_hooks';

const reading = new AsyncLocalStorage<string>();

/** Serializes long reads of `work` with others of the same account. */
export function readingFor<Result>(account: string, work: () => Result): Result {
  return reading.run(account, work);
}

export function readingAccount(): string | undefined {
  return reading.getStore();
}
