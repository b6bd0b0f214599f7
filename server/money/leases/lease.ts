// A lease as its process knows it: what is free, what running calls have reserved, and which calls wait for more.
// Nothing here touches the database.
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { AccountKind, AccountRef } from '#server/money/account.ts';

/** Of the account `kind`, `id`. Amounts are quota. */
export interface Lease extends Readonly<AccountRef> {
  free: number;
  reserved: number;
  /** Calls that hold a reservation here, of nothing too. As long as there are any, the lease stays open. */
  calls: number;
  /** The process id under which the lease is in the record; undefined: it is not opened yet. */
  openedAs: string | undefined;
  /** The newest fencing token that is known to be in the record; 0: none. */
  fencingToken: number;
  /** A write that opens the lease was given up and may still arrive: the fencing token stays in the record when the lease is closed. */
  storesFencingToken: boolean;
  /** What the account had outside all leases when it was last read; undefined: it was not read yet. */
  knownQuota: number | undefined;
  /** Charged since the last tick, and what that makes per second, smoothed. */
  recent: number;
  perSecond: number;
  lastUseAt: number;
  waiters: Waiter[];
  isServing: boolean;
  /**
   * The outcome of a write is unknown: the record may hold more for us than `free` and `reserved` say, never less. What is taken
   * is added here after the write, what is given back is subtracted here before it. The lease is read again, with a new fencing token.
   */
  isDoubtful: boolean;
  /** Writes that are changing the lease in the record now, and how many there have ever been. */
  writing: number;
  written: number;
  /** Until then what comes free goes back at once, because another process needs it; 0: no other process does. */
  wantedUntil: number;
  /** This process is asking the others to return what they hold idle. */
  isRecalling: boolean;
  /** Ends a pause of the serving loop early. */
  wake: (() => void) | undefined;
}

export interface Waiter {
  amount: number;
  /** The least that the call can begin with, when there is no more. */
  least: number;
  /** Before that, less than `amount` is not offered: other processes may return some. */
  patientUntil: number;
  deadline: number;
  /** Called with what was reserved, or why nothing was. */
  resolve(result: number | Refusal): void;
  reject(failure: unknown): void;
}

/** Why a reservation was refused. */
export interface Refusal {
  account: AccountRef;
  /** What the account has, in quota; 0 when it is gone. */
  balance: number;
  need: number;
}

export function createLease(kind: AccountKind, id: number): Lease {
  return {
    kind,
    id,
    free: 0,
    reserved: 0,
    calls: 0,
    openedAs: undefined,
    fencingToken: 0,
    storesFencingToken: false,
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

export function keyOf({ kind, id }: AccountRef): string {
  return `${kind}:${id}`;
}

/** A write is about to change the lease in the record. Until `endWrite`, what is read there may be of before or after it. */
export function beginWrite(lease: Lease): void {
  lease.writing += 1;
  lease.written += 1;
}

export function endWrite(lease: Lease): void {
  lease.writing -= 1;
}

/** The account is below zero: what is free here is not spent but goes back. */
export function isOwing(lease: Lease): boolean {
  return lease.knownQuota !== undefined && lease.knownQuota < 0;
}

/** Reserves for every call whose amount is free, in the order in which they came. */
export function grant(lease: Lease): void {
  lease.waiters = lease.waiters.filter((waiter) => {
    if (waiter.amount > lease.free || (waiter.amount > 0 && isOwing(lease))) return true;
    lease.free -= waiter.amount;
    lease.reserved += waiter.amount;
    waiter.resolve(waiter.amount);
    return false;
  });
}

/** Reserves all that is free for the first call that is content with it; false when there is none. */
export function grantLess(lease: Lease, isContent: (waiter: Waiter) => boolean): boolean {
  const waiter = lease.waiters.find((one) => one.least <= lease.free && isContent(one));
  if (waiter === undefined) return false;
  lease.waiters.splice(lease.waiters.indexOf(waiter), 1);
  const amount = Math.min(waiter.amount, lease.free);
  lease.free -= amount;
  lease.reserved += amount;
  waiter.resolve(amount);
  return true;
}

export function refuse(lease: Lease, balance: number, isRefused: (waiter: Waiter) => boolean): void {
  lease.waiters = lease.waiters.filter((waiter) => {
    if (!isRefused(waiter)) return true;
    waiter.resolve({ account: lease, balance, need: waiter.least });
    return false;
  });
}

/** Fails the calls that have waited until their deadline. */
export function failLate(lease: Lease): void {
  const now = performance.now();
  lease.waiters = lease.waiters.filter((waiter) => {
    if (waiter.deadline > now) return true;
    waiter.reject(new DatabaseUnavailable('What an account holds is not known until the database settles'));
    return false;
  });
}

/** How much more is needed than is free, for all that wait. */
export function missing(lease: Lease): number {
  const wanted = lease.waiters.reduce((sum, waiter) => sum + waiter.amount, 0);
  return Math.max(0, wanted - lease.free);
}

/** What to take from `quota` so that every waiter it pays for, in order, can be served; null when it pays for none. */
export function affordable(lease: Lease, quota: number): number | null {
  let take = 0;
  let free = lease.free;
  let count = 0;
  for (const waiter of lease.waiters) {
    const lacking = waiter.amount - free;
    if (lacking > quota - take) continue;
    take += Math.max(0, lacking);
    free = Math.max(0, -lacking);
    count += 1;
  }
  return count === 0 ? null : take;
}

/** Resolves after that time, or when `wake` is called. */
export function pause(lease: Lease, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      lease.wake = undefined;
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    lease.wake = end;
  });
}
