// In-memory state of a lease: free and reserved quota, and waiting calls. Does not access the database.
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { AccountKind, AccountRef } from '#server/money/account.ts';

/** Lease on the account `kind`, `id`. Amounts are quota. */
export interface Lease extends Readonly<AccountRef> {
  free: number;
  reserved: number;
  /** Number of calls with a reservation, including empty ones. While there are any, the lease stays open. */
  calls: number;
  /** Process id under which the lease is in the record; undefined if not opened yet. */
  openedAs: string | undefined;
  /** Newest fencing token known to be in the record; 0 for none. */
  fencingToken: number;
  /** An abandoned opening may still arrive: the fencing token stays in the record when the lease is closed. */
  retainsFencingToken: boolean;
  /** Quota of the account outside all leases when last read; undefined if not read yet. */
  knownQuota: number | undefined;
  /** Charged since the last tick, and the smoothed rate per second. */
  recent: number;
  perSecond: number;
  lastUseAt: number;
  waiters: Waiter[];
  isServing: boolean;
  /**
   * The outcome of a write is unknown: the record may hold more for this process than `free` and `reserved`, never
   * less. Quota taken is added here after the write, quota returned is subtracted before it. The lease is read again,
   * with a new fencing token.
   */
  isDoubtful: boolean;
  /** Number of writes in progress that change the lease, and in total. */
  writing: number;
  written: number;
  /** Time until which freed quota is returned at once, because another process needs it; 0 if none does. */
  wantedUntil: number;
  /** This process is requesting idle quota from the others. */
  isRecalling: boolean;
  /** Ends a pause of the serving loop early. */
  wake: (() => void) | undefined;
}

export interface Waiter {
  amount: number;
  /** Minimum with which the call can begin, if there is no more. */
  least: number;
  /** Time before which less than `amount` is not offered, because other processes may return some. */
  patientUntil: number;
  deadline: number;
  /** Called with the reserved amount, or the refusal. */
  resolve(result: number | Refusal): void;
  reject(failure: unknown): void;
}

/** Reason for a refused reservation. */
export interface Refusal {
  account: AccountRef;
  /** Balance in quota; 0 if the account does not exist. */
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
    retainsFencingToken: false,
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

/**
 * Begins a write that changes the lease in the record. Until `endWrite`, reads may return the state before or after it.
 */
export function beginWrite(lease: Lease): void {
  lease.writing += 1;
  lease.written += 1;
}

export function endWrite(lease: Lease): void {
  lease.writing -= 1;
}

/** Reports whether the account has a debt: free quota is then returned instead of spent. */
export function isOwing(lease: Lease): boolean {
  return lease.knownQuota !== undefined && lease.knownQuota < 0;
}

/** Reserves for every waiting call whose amount is free, in order. */
export function grant(lease: Lease): void {
  lease.waiters = lease.waiters.filter((waiter) => {
    if (waiter.amount > lease.free || (waiter.amount > 0 && isOwing(lease))) return true;
    lease.free -= waiter.amount;
    lease.reserved += waiter.amount;
    waiter.resolve(waiter.amount);
    return false;
  });
}

/**
 * Reserves the free quota, up to its amount, for the first call that can begin with it and `accepts` it. Returns false if
 * there is none.
 */
export function grantLess(lease: Lease, accepts: (waiter: Waiter) => boolean): boolean {
  const waiter = lease.waiters.find((one) => one.least <= lease.free && accepts(one));
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

/** Fails calls past their deadline. */
export function failLate(lease: Lease): void {
  const now = performance.now();
  lease.waiters = lease.waiters.filter((waiter) => {
    if (waiter.deadline > now) return true;
    waiter.reject(new DatabaseUnavailable('The balance is unknown until the outcome of a write is known'));
    return false;
  });
}

/** Quota missing to serve all waiting calls. */
export function missing(lease: Lease): number {
  const wanted = lease.waiters.reduce((sum, waiter) => sum + waiter.amount, 0);
  return Math.max(0, wanted - lease.free);
}

/** Quota to take from `quota` to serve as many waiters as possible, in order; null if none can be served. */
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
