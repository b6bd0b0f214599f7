// Attempts a balance change and reports its outcome, for work that was claimed first and stays due until the outcome is
// known. A repeated attempt with the same reference changes nothing twice.
import { AppError, type ErrorCode } from '#shared/errors.ts';
import type { Database } from '#server/db/database.ts';
import { entryOf } from './ledger-entries.ts';
import type { Ledger, LedgerChange, LedgerRequest } from './ledger.ts';

/** `open`: the entry is written and being applied; the caller retries later. `refused`: it will never be applied. */
export type ChangeOutcome = { state: 'done' | 'open' } | { state: 'refused'; reason: AppError };

/** Errors that no retry changes. A repeated attempt reports `balance_too_small` for any voided entry. */
const refusals: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['balance_too_large', 'balance_too_small', 'not_found']);

/** @throws {DatabaseUnavailable} if the outcome is unknown */
export async function changeOnce(
  { db, ledger }: { db: Database; ledger: Pick<Ledger, 'change'> },
  request: LedgerRequest & LedgerChange,
): Promise<ChangeOutcome> {
  try {
    const { isNew } = await ledger.change(request);
    if (isNew) return { state: 'done' };
  } catch (failure) {
    if (failure instanceof AppError && refusals.has(failure.code)) return { state: 'refused', reason: failure };
    throw failure;
  }
  // Another attempt wrote the entry, and may not have finished.
  return { state: (await entryOf({ db }, request.ref))?.state === 'done' ? 'done' : 'open' };
}
