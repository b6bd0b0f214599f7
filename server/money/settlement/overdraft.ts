// Charges that are more than was reserved for them. What the account still has pays for the rest; what is missing then is a
// debt that one call at a time may leave. What a second one would owe is not charged: an account owes what one call outgrew.
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseClosed, DatabaseUnavailable } from '#server/db/collection.ts';
import type { Account } from '#server/money/leases/lease.ts';
import type { Leases } from '#server/money/leases/leases.ts';
import type { ChargeRow, Reservation } from '#server/money/settlement/settlement.ts';

const retryMs = 250;

/** What of `charge` the reservation does not pay for. Quota of a lease that was lost pays for nothing. */
export function shortfall(reservation: Reservation, charge: number): number {
  const { user, token, isTokenLimited, amount } = reservation;
  const lost = Math.min(0, user.free, token !== null && isTokenLimited ? token.free : 0);
  return Math.max(0, charge - amount - lost);
}

/** Holds `more` beyond what the account has, for one call at a time; whoever asked adds it to the reservation. */
export async function overdraw(leases: Leases, reservation: Reservation, more: number): Promise<boolean> {
  const done: Account[] = [];
  const undo = () => {
    for (const account of done) leases.release(account, more, 0);
  };
  try {
    for (const account of paying(reservation)) {
      if (!(await leases.overdraw(account, more))) {
        undo();
        return false;
      }
      done.push(account);
    }
  } catch (failure) {
    undo();
    throw failure;
  }
  return true;
}

export interface Paying {
  leases: Leases;
  /** Reserves so much more, or what there is; returns how much that was. */
  extendBy(reservation: Reservation, more: number): Promise<number>;
}

/** The row with as much of its charge as can be had. Waits for a database that is away. @throws {DatabaseClosed} */
export async function payable({ leases, extendBy }: Paying, reservation: Reservation, row: ChargeRow): Promise<ChargeRow> {
  for (;;) {
    try {
      let missing = shortfall(reservation, row.quota);
      if (missing > 0) {
        const more = await extendBy(reservation, missing);
        reservation.amount += more;
      }
      missing = shortfall(reservation, row.quota);
      if (missing > 0 && (await overdraw(leases, reservation, missing))) reservation.amount += missing;
      return covered(reservation, row);
    } catch (failure) {
      if (failure instanceof DatabaseClosed || !(failure instanceof DatabaseUnavailable)) throw failure;
      await sleep(retryMs);
    }
  }
}

/** The row with as much of its charge as its reservation pays for. */
export function covered(reservation: Reservation, row: ChargeRow): ChargeRow {
  const missing = shortfall(reservation, row.quota);
  if (missing <= 0) return row;
  return { ...row, quota: Math.max(0, row.quota - missing), other: { ...row.other, uncharged_quota: Math.min(row.quota, missing) } };
}

function paying({ user, token, isTokenLimited }: Reservation): Account[] {
  return token !== null && isTokenLimited ? [token, user] : [user];
}
