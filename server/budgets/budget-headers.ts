import { decimalOf, decimalText, quotient } from '#shared/decimal.ts';
import type { Reservation } from '#server/money/leases/reservation.ts';
import { BoundAccount } from './bound-account.ts';

/**
 * Headers about the tightest budget of a call, in US dollars: its amount, what is left as far as this process knows, without the reservations of
 * its running calls, and the end of its period.
 */
export function budgetHeaders({ budgets }: Reservation, quotaPerUnit: number): Record<string, string> {
  let tightest: { account: BoundAccount; left: number } | undefined;
  for (const { lease, requested } of budgets) {
    const left = (lease.knownQuota ?? 0) + lease.free;
    if (requested instanceof BoundAccount && (tightest === undefined || left < tightest.left)) tightest = { account: requested, left };
  }
  if (tightest === undefined) return {};
  const { account, left } = tightest;
  const dollars = (quota: number) => decimalText(decimalOf(quotient(decimalOf(quota), decimalOf(quotaPerUnit))));
  return {
    'x-tidegate-budget-limit': dollars(account.amount),
    'x-tidegate-budget-remaining': dollars(Math.max(0, left)),
    ...(account.endsAt === 0 ? {} : { 'x-tidegate-budget-reset': new Date(account.endsAt * 1000).toISOString().replace('.000Z', 'Z') }),
  };
}
