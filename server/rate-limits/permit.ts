// What one call takes of its limits: of all of them, or nothing.
import type { BoundLimit, LimitSet } from './bound-limits.ts';
import type { Counters } from './counters.ts';
import { limitReached, neverFits } from './limit-errors.ts';
import type { PlaceCounter } from './place-counter.ts';
import type { CountedWindow } from './settle-later.ts';
import type { Window, WindowCounter } from './window-counter.ts';

export interface CallAmounts {
  /** 0 for calls within another one. */
  requests: number;
  /** Expected tokens, of the input and the answer. */
  tokens: number;
  /** Tokens of the input. */
  input: number;
  isParallel: boolean;
  /** Whether nothing less than the whole amounts may be taken. If undefined, an answer may be shorter than expected. */
  isWhole?: boolean;
}

export interface RatePermit {
  /** Windows in which the expected tokens were counted. */
  readonly tokenWindows: readonly CountedWindow[];
  /** Counts the tokens that the call used instead of those expected. The first call counts. */
  settle(tokens: number): void;
  /** Ends the call: frees its place. What was not settled is given back, also the request if none was made. May be called several times. */
  end(wasSent: boolean): void;
}

/** Seconds after which a call that found no place should be repeated: when another one ends is not known. */
const retryParallelSeconds = 2;

/**
 * Takes what a call needs. Synchronous while the leases suffice.
 * @throws {AppError} `rate_limit_exceeded`, `parallel_limit_exceeded`, `rate_limit_too_small` @throws {DatabaseUnavailable}
 */
export function enterLimits(counters: Counters, { counted }: LimitSet, amounts: CallAmounts): RatePermit | Promise<RatePermit> {
  const permit = new Permit(counters, amounts);
  try {
    for (let index = 0; index < counted.length; index += 1) {
      const bound = counted[index];
      if (bound === undefined) continue;
      const taking = permit.take(bound);
      if (taking instanceof Promise) return enterRest(permit, counted.slice(index), taking);
      if (!taking) throw permit.refusal(bound);
    }
  } catch (failure) {
    permit.end(false);
    throw failure;
  }
  return permit;
}

async function enterRest(permit: Permit, limits: readonly BoundLimit[], first: Promise<boolean>): Promise<RatePermit> {
  try {
    for (const [index, bound] of limits.entries()) {
      if (!(await (index === 0 ? first : permit.take(bound)))) throw permit.refusal(bound);
    }
    return permit;
  } catch (failure) {
    permit.end(false);
    throw failure;
  }
}

interface Taken {
  counter: WindowCounter;
  window: Window;
  amount: number;
  isOfTokens: boolean;
}

class Permit implements RatePermit {
  readonly #counters: Counters;
  readonly #amounts: CallAmounts;
  readonly #taken: Taken[] = [];
  readonly #places: PlaceCounter[] = [];
  #isSettled = false;
  #isOver = false;

  constructor(counters: Counters, amounts: CallAmounts) {
    this.#counters = counters;
    this.#amounts = amounts;
  }

  get tokenWindows(): readonly CountedWindow[] {
    const ofTokens = this.#taken.filter(({ isOfTokens }) => isOfTokens);
    return ofTokens.map(({ counter: { key }, window: { startAt, endAt } }) => ({ key, startAt, endAt }));
  }

  /** Takes from one limit; returns false if not enough is left. */
  take(bound: BoundLimit): boolean | Promise<boolean> {
    const { limit } = bound;
    const counter = this.#counters.windowOf(bound);
    if (counter === null) return this.#enterPlaces(bound);
    const isOfTokens = limit.meter === 'tokens';
    const wanted = isOfTokens ? this.#amounts.tokens : this.#amounts.requests;
    if (wanted === 0) {
      this.#taken.push({ counter, window: counter.window, amount: 0, isOfTokens });
      return true;
    }
    const least = this.#amounts.isWhole === true || !isOfTokens ? wanted : this.#amounts.input;
    if (least > limit.amount) throw neverFits(bound, least);
    // An answer that may be longer than the whole window allows takes all of it.
    const amount = Math.min(wanted, limit.amount);
    const taking = counter.take(amount, limit.amount);
    if (taking instanceof Promise) {
      return taking.then((window) => window !== null && this.#taken.push({ counter, window, amount, isOfTokens }) > 0);
    }
    if (taking === null) return false;
    this.#taken.push({ counter, window: taking, amount, isOfTokens });
    return true;
  }

  refusal(bound: BoundLimit) {
    const counter = this.#counters.windowOf(bound);
    return limitReached(bound, counter === null ? retryParallelSeconds : counter.secondsLeft);
  }

  settle(tokens: number): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const used = Number.isFinite(tokens) ? Math.max(0, Math.ceil(tokens)) : 0;
    for (const { counter, window, amount, isOfTokens } of this.#taken) {
      if (!isOfTokens) continue;
      if (used < amount) counter.giveBack(window, amount - used);
      else counter.owe(used - amount);
    }
  }

  end(wasSent: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.settle(0);
    for (const places of this.#places) places.leave();
    if (!wasSent) for (const { counter, window, amount, isOfTokens } of this.#taken) if (!isOfTokens) counter.giveBack(window, amount);
  }

  #enterPlaces(bound: BoundLimit): boolean | Promise<boolean> {
    if (!this.#amounts.isParallel) return true;
    const places = this.#counters.placesOf(bound);
    const entered = (isIn: boolean) => {
      if (isIn) this.#places.push(places);
      return isIn;
    };
    const entering = places.enter(bound.limit.amount);
    return entering instanceof Promise ? entering.then(entered) : entered(entering);
  }
}
