import type { Reservation } from '#server/money/leases/reservation.ts';
import { BoundAccount } from './bound-account.ts';
import { dollarText } from './dollar-text.ts';

/**
 * Headers about the tightest budget of a call, in US dollars: its amount, what is left as far as this process knows, without the reservations of
 * its running calls, and the end of its period.
 * @param seesAccount whether budgets that count calls of others count
 */
export function budgetHeaders({ budgets }: Reservation, quotaPerUnit: number, seesAccount: boolean): Record<string, string> {
  let account: BoundAccount | undefined;
  let left = 0;
  for (let index = 0; index < budgets.length; index += 1) {
    const { lease, requested } = budgets[index] ?? {};
    if (lease === undefined || !(requested instanceof BoundAccount) || !(seesAccount || requested.isOfMember)) continue;
    const leftHere = (lease.knownQuota ?? 0) + lease.free;
    if (account === undefined || leftHere < left) [account, left] = [requested, leftHere];
  }
  if (account === undefined) return {};
  const headers: Record<string, string> = {
    'x-tidegate-budget-limit': account.amountText(quotaPerUnit),
    'x-tidegate-budget-remaining': dollarText(Math.max(0, left), quotaPerUnit),
  };
  if (account.endText !== '') headers['x-tidegate-budget-reset'] = account.endText;
  return headers;
}
