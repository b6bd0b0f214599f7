// Checks the books by sums: credits − spends − balances of all users are 0. One process checks them by the clock; all report the result.
// Sums of whole collections, which is what an alarm needs; `npm run audit` finds the account.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppContext } from '#server/context.ts';
import type { Database } from '#server/db/database.ts';
import { sumOfUserBooks, type UserBooks } from '#server/money/user-books.ts';
import type { NumberPoint } from '#server/telemetry/registry.ts';

/** A check may take this share of the time at most: the next one waits accordingly. */
const mostShare = 0.01;
/** Sums are read one after the other, so a credit between them makes a difference that the next reading does not have. */
const readings = 5;
const betweenMs = 200;

/** Monotonic milliseconds before which this process checks nothing. */
const notBefore = new WeakMap<Database, number>();

/** Job; announces the result to all processes. */
export async function checkBooks(context: Pick<AppContext, 'db' | 'changes' | 'telemetry' | 'now' | 'log'>): Promise<void> {
  const { db, changes, telemetry, now, log } = context;
  if ((telemetry?.registry ?? null) === null || performance.now() < (notBefore.get(db) ?? 0)) return;
  const startedAt = performance.now();
  const books = await readBooks(db);
  notBefore.set(db, performance.now() + (performance.now() - startedAt) / mostShare);
  if (differenceOf(books) !== 0)
    log.error({ ...books, difference: differenceOf(books) }, 'the books do not balance: `npm run audit` finds the account');
  await changes.announce('checked_books', `${now()}:${differenceOf(books)}`);
}

async function readBooks(db: Database): Promise<UserBooks> {
  let books = await sumOfUserBooks(db);
  for (let reading = 1; reading < readings && differenceOf(books) !== 0; reading += 1) {
    await sleep(betweenMs);
    books = await sumOfUserBooks(db);
  }
  return books;
}

function differenceOf({ credits, spends, balances }: UserBooks): number {
  return credits - spends - balances;
}

export interface CheckedBooks {
  difference(): NumberPoint[];
  age(): NumberPoint[];
  stop(): void;
}

/** Follows the checks of all processes. Before the first one there is no difference, and its age counts from the start. */
export function checkedBooks({ changes, settings, now }: Pick<AppContext, 'changes' | 'settings' | 'now'>): CheckedBooks {
  const startedAt = now();
  let last: { at: number; difference: number } | undefined;
  const stop = changes.listen('checked_books', (key) => {
    const [at = Number.NaN, difference = Number.NaN] = String(key).split(':').map(Number);
    last = { at, difference };
  });
  const points = (value: number | undefined) => (value === undefined ? [] : [{ labels: {}, value }]);
  return {
    difference: () => points(last === undefined ? undefined : last.difference / settings.get('QuotaPerUnit')),
    age: () => points((now() - (last?.at ?? startedAt)) / 1000),
    stop,
  };
}
