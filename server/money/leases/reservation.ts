// Reservation of a running call on the accounts that pay for it.
import { budgetList } from '#server/money/account.ts';
import type { Lease } from '#server/money/leases/lease.ts';

/** Created by `reserve`, ended by `settle` or `release` exactly once. */
export interface Reservation {
  /** Lease on the user's account, and on the token's; null for calls without a token. */
  readonly user: Lease;
  readonly token: Lease | null;
  /** False for an unlimited token: its use is counted, but it holds no quota. */
  readonly isTokenLimited: boolean;
  /** Periods of budgets that are charged as well. */
  readonly budgets: readonly BudgetLease[];
  /** Quota reserved from each. */
  amount: number;
  isEnded: boolean;
}

export interface BudgetLease {
  readonly lease: Lease;
  /** False for a budget that only warns: it is charged, but holds no quota. */
  readonly isHard: boolean;
  /** As the call requested it. */
  readonly requested: object;
}

export const noBudgets: readonly BudgetLease[] = [];

/** Leases that are charged what was reserved; the token's first and the user's last, because the others usually have less. */
export function payingLeases({ user, token, isTokenLimited, budgets }: Reservation): Lease[] {
  const leases = token !== null && isTokenLimited ? [token] : [];
  for (const { lease, isHard } of budgets) if (isHard) leases.push(lease);
  leases.push(user);
  return leases;
}

/** All leases on which the call is counted. */
export function leasesOf({ user, token, budgets }: Pick<Reservation, 'user' | 'token' | 'budgets'>): Lease[] {
  const leases = token === null ? [user] : [user, token];
  for (const { lease } of budgets) leases.push(lease);
  return leases;
}

/** Ids of the budget periods, as in the log row of the charge; empty for none. */
export function budgetsOf({ budgets }: Reservation): string {
  if (budgets.length === 1) return String(budgets[0]?.lease.id ?? '');
  return budgets.length === 0 ? '' : budgetList(budgets.map(({ lease }) => lease.id));
}

/** Part of `charge` that the reservation does not cover. Quota of a lost lease covers nothing. */
export function shortfall({ user, token, isTokenLimited, budgets, amount }: Reservation, charge: number): number {
  let lost = Math.min(0, user.free, token !== null && isTokenLimited ? token.free : 0);
  for (const { lease, isHard } of budgets) if (isHard) lost = Math.min(lost, lease.free);
  return Math.max(0, charge - amount - lost);
}
