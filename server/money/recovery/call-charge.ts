// Determines whether a call was charged, and how much, when its process may have died. A charge is a log row; whatever
// depends on it is marked before it is written. A row that is missing when its process's books are closed will never
// appear, and one written after that does not count and will be removed.
import type { AppContext } from '#server/context.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { closedBooksOf, isCounted } from './crash-recovery.ts';

// An alias, because only aliases fit into the patches of records.
// `budgets`: as in the row; empty for none.
export type PaidCharge = { charge: 'done'; quota: number; token_quota: number; budgets: string };

export interface CallCharge {
  /**
   * The amount charged, less than requested if the reservation was lost and the balance was too low: exactly what a
   * refund returns. Null if there is no row (yet).
   */
  paid: PaidCharge | null;
  /** False while it is undecided whether the row counts, except for the process that settled it. */
  isCertain: boolean;
}

export async function chargeOf(db: AppContext['db'], { request_id }: { request_id: string }): Promise<CallCharge> {
  let charge: CallCharge = { paid: null, isCertain: false };
  // Uses the index alone, a short read that waits for no other.
  for (const row of await db.collection('logs').find({ request_id }, { limit: 10 })) {
    if (row.process === undefined) continue;
    const counts = await isCharged(db, row);
    if (counts === false) continue;
    charge = {
      paid: { charge: 'done', quota: row.quota, token_quota: row.token_quota ?? 0, budgets: row.budgets ?? '' },
      isCertain: counts === true,
    };
    if (charge.isCertain) break;
  }
  return charge;
}

/** Resolves a charge that `process` was to settle: null if it was not and never will be, undefined if not known yet. */
export async function resolvedCharge(
  db: AppContext['db'],
  { process, request_id }: { process: string; request_id: string },
): Promise<PaidCharge | null | undefined> {
  // In this order: a process whose books are closed has written all its rows before.
  const { state } = (await db.collection('processes').get(process)) ?? { state: 'settled' };
  const { paid, isCertain } = await chargeOf(db, { request_id });
  return (paid === null ? state === 'settled' : isCertain) ? paid : undefined;
}

/** Reports whether a call's row has been charged; null if undecided. */
export async function isCharged(db: AppContext['db'], { process: id = '', seq = 0 }: LogRecord): Promise<boolean | null> {
  const process = await db.collection('processes').get(id);
  // Process records are removed long after rows that do not count.
  if (process === null) return true;
  const books = closedBooksOf(process);
  if (books !== null) return isCounted(books, seq);
  return seq <= process.settled_seq ? true : null;
}
