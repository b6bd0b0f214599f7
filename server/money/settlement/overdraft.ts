// Covers charges beyond their reservation: from the balance, then by a debt, of one call at a time. The rest is not
// charged, so an account never owes more than one call's excess.
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseClosed, DatabaseUnavailable } from '#server/db/collection.ts';
import { type Reservation, shortfall } from '#server/money/leases/reservation.ts';
import type { Reservations } from '#server/money/leases/reservations.ts';
import type { ChargeRow } from '#server/money/settlement/settled-call.ts';

const retryMs = 250;

/**
 * Returns the row with as much of its charge as the account can pay or owe. Waits during a database outage.
 * @throws {DatabaseClosed}
 */
export async function payable(reservations: Reservations, reservation: Reservation, row: ChargeRow): Promise<ChargeRow> {
  for (;;) {
    try {
      let missing = shortfall(reservation, row.quota);
      if (missing > 0) await reservations.extendByAvailable(reservation, missing);
      missing = shortfall(reservation, row.quota);
      if (missing > 0) await reservations.overdrawEnded(reservation, missing);
      return covered(reservation, row);
    } catch (failure) {
      if (failure instanceof DatabaseClosed || !(failure instanceof DatabaseUnavailable)) throw failure;
      await sleep(retryMs);
    }
  }
}

/** Returns the row with as much of its charge as its reservation covers. */
export function covered(reservation: Reservation, row: ChargeRow): ChargeRow {
  const missing = shortfall(reservation, row.quota);
  if (missing <= 0) return row;
  return { ...row, quota: Math.max(0, row.quota - missing), other: { ...row.other, uncharged_quota: Math.min(row.quota, missing) } };
}
