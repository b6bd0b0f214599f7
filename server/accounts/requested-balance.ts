import { fieldRules, invalidField } from '#shared/field-rules.ts';

interface Sums {
  /** Quota, leases included. */
  balance: number;
  used: number;
}

/**
 * Balance that an edit requests, for `ledger.setBalance`; null if the record was only sent back. With `used` as the
 * editor saw it, the sum of both is compared: spending does not change it, only edits do.
 * @param field name of the balance on the wire
 * @throws {AppError} `invalid_field` for a negative balance, unless a call caused it and it is only sent back
 */
export function requestedBalance(
  edit: { balance: number; used: number | undefined },
  now: Sums,
  field: string,
): { balance: number; knownUsed?: number } | null {
  // `used` only increases.
  const knownUsed = edit.used === undefined ? undefined : Math.min(edit.used, now.used);
  if (edit.balance + (knownUsed ?? now.used) === now.balance + now.used) return null;
  if (edit.balance < 0) throw invalidField(field, fieldRules.atLeast(0));
  if (knownUsed === undefined) return { balance: edit.balance };
  // An edit never results in a debt.
  return { balance: Math.max(edit.balance, now.used - knownUsed), knownUsed };
}
