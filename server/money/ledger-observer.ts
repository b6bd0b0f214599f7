// Sees all money that the ledger moves, while metrics are on.
import type { Ledger, LedgerRequest, LedgerResult } from '#server/money/ledger.ts';
import type { ReserveResult } from '#server/money/leases/reservations.ts';
import type { ChargeRow } from '#server/money/settlement/settled-call.ts';

/** Its methods never throw. */
export interface LedgerObserver {
  /** Quota was reserved. */
  reserved(amount: number): void;
  /** A call is charged `row.quota`. */
  charged(row: ChargeRow): void;
  /** A balance was changed outside of calls. */
  changed(request: Pick<LedgerRequest, 'account' | 'kind'>, amount: number): void;
}

type Reserving = Pick<Ledger, 'reserve' | 'extend' | 'overdraw'>;

export function observedReserving(observer: LedgerObserver, { reserve, extend, overdraw }: Reserving): Reserving {
  return {
    reserve(request) {
      const reserving = reserve(request);
      noteReserved(observer, reserving);
      return reserving;
    },
    extend(reservation, more) {
      const extending = extend(reservation, more);
      noteExtended(observer, extending, more);
      return extending;
    },
    overdraw(reservation, more) {
      const overdrawing = overdraw(reservation, more);
      noteExtended(observer, overdrawing, more);
      return overdrawing;
    },
  };
}

/** Reports a change of a balance, unless it was made before. */
export function changed(
  observer: LedgerObserver | undefined,
  request: LedgerRequest,
  changing: Promise<LedgerResult>,
): Promise<LedgerResult> {
  if (observer === undefined) return changing;
  return changing.then((result) => {
    if (result.isNew) observer.changed(request, result.amount);
    return result;
  });
}

/** A failure is reported to the caller of the ledger, not here. */
const ignored = () => {};

function noteReserved(observer: LedgerObserver, reserving: ReserveResult | Promise<ReserveResult>): void {
  if (reserving instanceof Promise) void reserving.then((result) => noteReserved(observer, result), ignored);
  else if ('reservation' in reserving) observer.reserved(reserving.reservation.amount);
}

function noteExtended(observer: LedgerObserver, extending: boolean | Promise<boolean>, more: number): void {
  if (extending instanceof Promise) void extending.then((isExtended) => noteExtended(observer, isExtended, more), ignored);
  else if (extending) observer.reserved(more);
}
