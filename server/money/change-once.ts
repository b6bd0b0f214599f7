// A change of a balance that is tried again until it is known what became of it: something was claimed first, and is due until then.
import { AppError } from '#shared/errors.ts';
import type { ErrorCode } from '#shared/errors.ts';
import type { Database } from '#server/db/database.ts';
import { entryOf } from './ledger-entries.ts';
import type { Ledger, LedgerChange, LedgerRequest } from './ledger.ts';

/** `open`: the entry is written and is being applied by somebody; ask again later. `refused`: it is never applied. */
export type ChangeOutcome = { state: 'done' | 'open' } | { state: 'refused'; reason: AppError };

/** The account is gone, or cannot hold the amount. An entry that was voided before says `balance_too_small`. */
const refusals: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['balance_too_large', 'balance_too_small', 'not_found']);

/** @throws {DatabaseUnavailable} when the outcome is not known */
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
  // Another attempt wrote the entry, and may not have come to its end.
  return { state: (await entryOf({ db }, request.ref))?.state === 'done' ? 'done' : 'open' };
}
