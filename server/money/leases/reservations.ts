// Reservations of running calls: taken from the leases of the token, the budgets and the user, in this order; from all or none.
import type { Lease, Refusal } from '#server/money/leases/lease.ts';
import type { Leases } from '#server/money/leases/leases.ts';
import { type BudgetLease, noBudgets, payingLeases, type Reservation } from '#server/money/leases/reservation.ts';

export interface ReserveRequest {
  userId: number;
  /** Null for calls without a token. */
  token: { id: number; isLimited: boolean } | null;
  /** Periods of budgets; none if undefined. */
  budgets?: readonly ChargedBudget[];
  /** Quota. */
  amount: number;
  /** Minimum with which the call can begin; `amount` if undefined. */
  least?: number;
}

/** Period of a budget that a call is charged to. */
export interface ChargedBudget {
  /** Id of the period. */
  readonly id: number;
  /** Whether quota is reserved from it. If false, the charge is counted only. */
  readonly isHard: boolean;
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
  prepare({ userId, token, budgets }: ReserveRequest): Reservation {
    const user = this.#leases.of('user', userId);
    const tokenLease = token === null ? null : this.#leases.of('token', token.id);
    const charged = budgets === undefined || budgets.length === 0 ? noBudgets : this.#budgetLeases(budgets);
    return { user, token: tokenLease, isTokenLimited: token?.isLimited === true, budgets: charged, amount: 0, isEnded: false };
  }

  #budgetLeases(budgets: readonly ChargedBudget[]): BudgetLease[] {
    return budgets.map((requested) => ({ lease: this.#leases.of('budget', requested.id), isHard: requested.isHard, requested }));
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
    const { user, token, isTokenLimited, budgets } = reservation;
    // An unlimited token's lease is opened too: its use is counted there.
    const first = token === null ? null : isTokenLimited ? this.#leases.reserve(token, amount, least) : this.#leases.reserve(token, 0);
    if (first !== null) return this.#reserveRest(reservation, { step: 0, waiting: first, amount, least });
    for (let step = 1; step <= budgets.length; step += 1) {
      const waiting = this.#reserveAt(reservation, step, { amount, least });
      if (waiting !== null) return this.#reserveRest(reservation, { step, waiting, amount, least });
    }
    const last = this.#leases.reserve(user, amount, least);
    return last === null ? null : this.#reserveRest(reservation, { step: budgets.length + 1, waiting: last, amount, least });
  }

  /** A step after the first. */
  #reserveAt(
    { user, token, isTokenLimited, budgets }: Reservation,
    step: number,
    { amount, least }: { amount: number; least: number },
  ): null | Promise<number | Refusal> {
    // An unlimited token's lease is opened too: its use is counted there.
    if (step === 0)
      return token === null ? null : isTokenLimited ? this.#leases.reserve(token, amount, least) : this.#leases.reserve(token, 0);
    const budget = budgets[step - 1];
    if (budget === undefined) return this.#leases.reserve(user, amount, least);
    return budget.isHard ? this.#leases.reserve(budget.lease, amount, least) : this.#leases.use(budget.lease);
  }

  /** Continues with the lease that is waited for. The steps before it hold `amount`. */
  async #reserveRest(reservation: Reservation, { step, waiting, amount, least }: WaitingStep): Promise<number | Refusal> {
    const held: { lease: Lease; amount: number }[] = [];
    const note = (at: number, reserved: number) => {
      const lease = payingAt(reservation, at);
      if (lease !== null) held.push({ lease, amount: reserved });
      return lease !== null;
    };
    for (let at = 0; at < step; at += 1) note(at, amount);
    const last = lastStep(reservation);
    let available = amount;
    let isReserved = false;
    try {
      let result: number | Refusal | null = await waiting;
      for (let at = step; ;) {
        if (result !== null && typeof result !== 'number') return result;
        if (note(at, result ?? available)) available = result ?? available;
        at += 1;
        if (at > last) break;
        result = await this.#reserveAt(reservation, at, { amount: available, least: Math.min(least, available) });
      }
      isReserved = true;
      return available;
    } finally {
      for (const one of held) {
        const excess = isReserved ? one.amount - available : one.amount;
        if (excess > 0) this.#leases.release(one.lease, excess, 0);
      }
    }
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

interface WaitingStep {
  step: number;
  waiting: Promise<number | Refusal>;
  amount: number;
  least: number;
}

/** Steps of a reservation: the token, each budget, the user. */
function lastStep({ budgets }: Reservation): number {
  return budgets.length + 1;
}

/** Lease from which the step reserves; null if it reserves nothing. */
function payingAt({ user, token, isTokenLimited, budgets }: Reservation, step: number): Lease | null {
  if (step === 0) return isTokenLimited ? token : null;
  const budget = budgets[step - 1];
  if (budget === undefined) return user;
  return budget.isHard ? budget.lease : null;
}

/** A lease stays open while calls use it, even with empty reservations. */
function countCall({ user, token, budgets }: Reservation, change: 1 | -1): void {
  user.calls += change;
  if (token !== null) token.calls += change;
  for (const { lease } of budgets) lease.calls += change;
}
