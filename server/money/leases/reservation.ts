// Reservation of a running call on the accounts that pay for it.
import type { Lease } from '#server/money/leases/lease.ts';

/** Created by `reserve`, ended by `settle` or `release` exactly once. */
export interface Reservation {
  /** Lease on the user's account, and on the token's; null for calls without a token. */
  readonly user: Lease;
  readonly token: Lease | null;
  /** False for an unlimited token: its use is counted, but it holds no quota. */
  readonly isTokenLimited: boolean;
  /** Quota reserved from each. */
  amount: number;
  isEnded: boolean;
}

/** Leases that are charged; the token's first, because it usually has less. */
export function payingLeases({ user, token, isTokenLimited }: Reservation): Lease[] {
  return token !== null && isTokenLimited ? [token, user] : [user];
}

/** Part of `charge` that the reservation does not cover. Quota of a lost lease covers nothing. */
export function shortfall({ user, token, isTokenLimited, amount }: Reservation, charge: number): number {
  const lost = Math.min(0, user.free, token !== null && isTokenLimited ? token.free : 0);
  return Math.max(0, charge - amount - lost);
}
