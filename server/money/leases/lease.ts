// An account as this process knows it: what is free of its lease, what running calls have reserved, and who waits for more.
// Nothing here touches the database.
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { AccountKind } from '#server/money/account.ts';

export interface Account {
  readonly kind: AccountKind;
  readonly id: number;
  free: number;
  reserved: number;
  /** Calls that hold a reservation here, be it of nothing: as long as there are any, the account stays open. */
  calls: number;
  /** Process id under which the lease field exists in the record; undefined: not opened yet. */
  openedAs: string | undefined;
  /** The newest term of the lease that is known to have begun; 0: none. */
  term: number;
  /** A write that opens the lease may have been given up and arrive later still: the term stays in the record when the lease goes. */
  keepsTerm: boolean;
  /** `quota` of the record when last seen, undefined when never. */
  knownQuota: number | undefined;
  /** Charged since the last tick, and what that makes per second, smoothed. */
  recent: number;
  perSecond: number;
  lastUseAt: number;
  waiters: Waiter[];
  isServing: boolean;
  /**
   * The outcome of a write is unknown: the lease may hold more than is known, and is read again in a new term. It never holds
   * less: what is taken is added when it is there, what is given back is subtracted before it goes.
   */
  isDoubtful: boolean;
  /** Writes that are changing the lease in the record right now, and how many there have ever been. */
  writing: number;
  written: number;
  /** Another process misses what is free here, until then; 0: not. */
  wantedUntil: number;
  /** It is us who ask the others. */
  isRecalling: boolean;
  /** Ends a pause of the serving loop early. */
  wake: (() => void) | undefined;
}

export interface Waiter {
  amount: number;
  /** It goes with this much when there is no more. */
  least: number;
  /** Until then more may come back from other processes. */
  patientUntil: number;
  deadline: number;
  /** With what was reserved, or why nothing was. */
  resolve(result: number | Refusal): void;
  reject(failure: unknown): void;
}

/** Why a reservation was refused. */
export interface Refusal {
  account: Account;
  /** The balance that there is, in quota; 0 when the account is gone. */
  balance: number;
  need: number;
}

export function createAccount(kind: AccountKind, id: number): Account {
  return {
    kind,
    id,
    free: 0,
    reserved: 0,
    calls: 0,
    openedAs: undefined,
    term: 0,
    keepsTerm: false,
    knownQuota: undefined,
    recent: 0,
    perSecond: 0,
    lastUseAt: performance.now(),
    waiters: [],
    isServing: false,
    isDoubtful: false,
    writing: 0,
    written: 0,
    wantedUntil: 0,
    isRecalling: false,
    wake: undefined,
  };
}

export function keyOf({ kind, id }: Account): string {
  return `${kind}:${id}`;
}

/** Something is about to change the lease in the record; until `letGo` what is read there means nothing. */
export function hold(account: Account): void {
  account.writing += 1;
  account.written += 1;
}

export function letGo(account: Account): void {
  account.writing -= 1;
}

/** The account is below zero: what is free here is not to be spent, it goes back. */
export function isOwing(account: Account): boolean {
  return account.knownQuota !== undefined && account.knownQuota < 0;
}

/** Serves whoever fits, in order. */
export function admit(account: Account): void {
  account.waiters = account.waiters.filter((waiter) => {
    if (waiter.amount > account.free || (waiter.amount > 0 && isOwing(account))) return true;
    account.free -= waiter.amount;
    account.reserved += waiter.amount;
    waiter.resolve(waiter.amount);
    return false;
  });
}

/** Serves the first who is content with what is free, with all of that; false when there is none. */
export function admitWithLess(account: Account, isContent: (waiter: Waiter) => boolean): boolean {
  const waiter = account.waiters.find((one) => one.least <= account.free && isContent(one));
  if (waiter === undefined) return false;
  account.waiters.splice(account.waiters.indexOf(waiter), 1);
  const amount = Math.min(waiter.amount, account.free);
  account.free -= amount;
  account.reserved += amount;
  waiter.resolve(amount);
  return true;
}

export function refuse(account: Account, balance: number, isRefused: (waiter: Waiter) => boolean): void {
  account.waiters = account.waiters.filter((waiter) => {
    if (!isRefused(waiter)) return true;
    waiter.resolve({ account, balance, need: waiter.least });
    return false;
  });
}

/** Fails those that have waited long enough. */
export function giveUp(account: Account): void {
  const now = performance.now();
  account.waiters = account.waiters.filter((waiter) => {
    if (waiter.deadline > now) return true;
    waiter.reject(new DatabaseUnavailable('What an account holds is not known until the database settles'));
    return false;
  });
}

/** What is free and all that waits for it do not go together by this much; at least 0. */
export function missing(account: Account): number {
  const wanted = account.waiters.reduce((sum, waiter) => sum + waiter.amount, 0);
  return Math.max(0, wanted - account.free);
}

/** What must be taken so that as many waiters as `quota` pays for can go, in order; null when it pays for none. */
export function affordable(account: Account, quota: number): number | null {
  let take = 0;
  let free = account.free;
  let count = 0;
  for (const waiter of account.waiters) {
    const lacking = waiter.amount - free;
    if (lacking > quota - take) continue;
    take += Math.max(0, lacking);
    free = Math.max(0, -lacking);
    count += 1;
  }
  return count === 0 ? null : take;
}

/** Waits, or until somebody calls `wake`. */
export function pause(account: Account, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      account.wake = undefined;
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    account.wake = end;
  });
}
