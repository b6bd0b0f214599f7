// Reservations of running calls: taken from the token's lease first, then from the user's; from both or neither.
import type { Refusal } from '#server/money/leases/lease.ts';
import type { Leases } from '#server/money/leases/leases.ts';
import { payingLeases, type Reservation } from '#server/money/leases/reservation.ts';

export interface ReserveRequest {
  userId: number;
  /** Null for calls without a token. */
  token: { id: number; isLimited: boolean } | null;
  /** Quota. */
  amount: number;
  /** Minimum with which the call can begin; `amount` if undefined. */
  least?: number;
}

export type ReserveResult = { reservation: Reservation } | { refusal: Refusal };

export class Reservations {
  readonly #leases: Leases;
  #running = 0;

  constructor(leases: Leases) {
    this.#leases = leases;
  }

  /** Number of reservations neither settled nor released. */
  get running(): number {
    return this.#running;
  }

  /** Creates an empty reservation for a call; `reserve` follows. */
  prepare({ userId, token }: ReserveRequest): Reservation {
    const user = this.#leases.of('user', userId);
    const tokenLease = token === null ? null : this.#leases.of('token', token.id);
    return { user, token: tokenLease, isTokenLimited: token?.isLimited === true, amount: 0, isEnded: false };
  }

  /** @throws {DatabaseUnavailable} from the promise */
  reserve(reservation: Reservation, { amount, least = amount }: ReserveRequest): ReserveResult | Promise<ReserveResult> {
    this.#running += 1;
    countCall(reservation, 1);
    const reserving = this.#reserve(reservation, amount, least);
    if (reserving !== null) return this.#finish(reservation, reserving);
    reservation.amount = amount;
    return { reservation };
  }

  async #finish(reservation: Reservation, reserving: Promise<number | Refusal>): Promise<ReserveResult> {
    try {
      const result = await reserving;
      if (typeof result === 'number') {
        reservation.amount = result;
        return { reservation };
      }
      this.#leave(reservation);
      return { refusal: result };
    } catch (failure) {
      this.#leave(reservation);
      throw failure;
    }
  }

  extend(reservation: Reservation, more: number): boolean | Promise<boolean> {
    if (reservation.isEnded) return false;
    const reserving = this.#reserve(reservation, more, more);
    if (reserving !== null) return reserving.then((result) => typeof result === 'number' && this.#add(reservation, more));
    reservation.amount += more;
    return true;
  }

  /** Extends an ended reservation that does not cover its charge, by `more` or the available quota. */
  async extendByAvailable(reservation: Reservation, more: number): Promise<void> {
    const result = (await this.#reserve(reservation, more, 1)) ?? more;
    if (typeof result === 'number') reservation.amount += result;
  }

  async overdraw(reservation: Reservation, more: number): Promise<boolean> {
    return !reservation.isEnded && (await this.#overdraw(reservation, more)) && this.#add(reservation, more);
  }

  /** Overdraws for an ended reservation that does not cover its charge. */
  async overdrawEnded(reservation: Reservation, more: number): Promise<void> {
    if (await this.#overdraw(reservation, more)) reservation.amount += more;
  }

  release(reservation: Reservation): void {
    if (reservation.isEnded) return;
    reservation.isEnded = true;
    this.#leave(reservation);
    this.#giveBack(reservation, reservation.amount);
  }

  /** Hands the call over to the settlement, which releases the leases. */
  settled(): void {
    this.#running -= 1;
  }

  #leave(reservation: Reservation): void {
    this.#running -= 1;
    countCall(reservation, -1);
  }

  /** Adds `more`, just reserved, to the reservation; returns it to the leases if the call was settled meanwhile. */
  #add(reservation: Reservation, more: number): boolean {
    if (reservation.isEnded) this.#giveBack(reservation, more);
    else reservation.amount += more;
    return !reservation.isEnded;
  }

  #giveBack(reservation: Reservation, amount: number): void {
    for (const lease of payingLeases(reservation)) this.#leases.release(lease, amount, 0);
  }

  /** Returns null if all of `amount` was reserved synchronously. A refusal or failure leaves nothing reserved. */
  #reserve(reservation: Reservation, amount: number, least: number): null | Promise<number | Refusal> {
    const { token, isTokenLimited } = reservation;
    // An unlimited token's lease is opened too: its use is counted there.
    const first = token === null ? null : isTokenLimited ? this.#leases.reserve(token, amount, least) : this.#leases.reserve(token, 0);
    if (first === null) return this.#reserveUser(reservation, amount, least);
    return first.then((result) => {
      if (typeof result !== 'number') return result;
      const available = isTokenLimited ? result : amount;
      return this.#reserveUser(reservation, available, Math.min(least, available)) ?? available;
    });
  }

  /** Reserves from the user, after `amount` was reserved from the token; returns the token's excess. */
  #reserveUser(reservation: Reservation, amount: number, least: number): null | Promise<number | Refusal> {
    const second = this.#leases.reserve(reservation.user, amount, least);
    if (second === null) return null;
    return second.then(
      (result) => {
        this.#releaseToken(reservation, typeof result === 'number' ? amount - result : amount);
        return result;
      },
      (failure: unknown) => {
        this.#releaseToken(reservation, amount);
        throw failure;
      },
    );
  }

  #releaseToken({ token, isTokenLimited }: Reservation, amount: number): void {
    if (amount > 0 && token !== null && isTokenLimited) this.#leases.release(token, amount, 0);
  }

  async #overdraw(reservation: Reservation, more: number): Promise<boolean> {
    const done = [];
    let isDone = false;
    try {
      for (const lease of payingLeases(reservation)) {
        if (!(await this.#leases.overdraw(lease, more))) return false;
        done.push(lease);
      }
      isDone = true;
      return true;
    } finally {
      if (!isDone) for (const lease of done) this.#leases.release(lease, more, 0);
    }
  }
}

/** A lease stays open while calls use it, even with empty reservations. */
function countCall({ user, token }: Reservation, change: 1 | -1): void {
  user.calls += change;
  if (token !== null) token.calls += change;
}
