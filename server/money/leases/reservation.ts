// What a running call holds of the accounts that pay for it.
import type { Lease } from '#server/money/leases/lease.ts';

/** Made by `reserve`, ended by `settle` or `release` exactly once. */
export interface Reservation {
  /** The lease on the user's account, and on the token's; null for calls without a token. */
  readonly user: Lease;
  readonly token: Lease | null;
  /** False for an unlimited token: its use is counted, but it holds no money. */
  readonly isTokenLimited: boolean;
  /** Quota reserved from each. */
  amount: number;
  isEnded: boolean;
}

/** The leases that money is taken from. The token's is first, since it mostly has less. */
export function payingLeases({ user, token, isTokenLimited }: Reservation): Lease[] {
  return token !== null && isTokenLimited ? [token, user] : [user];
}

/** What of `charge` the reservation does not pay for. Quota of a lease that was lost pays for nothing. */
export function shortfall({ user, token, isTokenLimited, amount }: Reservation, charge: number): number {
  const lost = Math.min(0, user.free, token !== null && isTokenLimited ? token.free : 0);
  return Math.max(0, charge - amount - lost);
}
