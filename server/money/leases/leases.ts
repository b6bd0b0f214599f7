// Leases of this process: quota that it may spend without a database write. Decides when quota is taken and returned,
// and which call gets it. While no write is in progress, the record's `leases.<process>` = free + reserved.
import type { ChangeFeed } from '#server/db/changes.ts';
import { type AccountKind, type AccountRef, frozenKey, leasedOf, quotaOf, readAccount } from '#server/money/account.ts';
import {
  affordable,
  createLease,
  failLate,
  grant,
  grantLess,
  isOwing,
  keyOf,
  type Lease,
  missing,
  pause,
  type Refusal,
  refuse,
  type Waiter,
} from '#server/money/leases/lease.ts';
import { LeaseMoves, type LeaseMovesOptions } from '#server/money/leases/lease-moves.ts';

// Durations use the monotonic clock, so that clock changes refuse no call.

/** Maximum wait of a call for quota held by other processes or running calls. */
const waitMs = 1_000;
const pollMs = 40;
const tickMs = 250;
/** Idle time after which free quota is returned. */
const idleMs = 1_000;
/** Idle time after which an empty lease is removed from the record. */
const closeMs = 60_000;
/** Maximum wait for other processes, for a call that can begin with less. */
const patienceMs = 150;
/** Interval of requests to other processes that hold missing quota. */
const recallMs = 300;
/** Time for which a requested process returns freed quota. */
const wantedMs = 1_000;

export interface LeasesOptions extends LeaseMovesOptions {
  changes: ChangeFeed;
  waitMs?: number | undefined;
}

export class Leases {
  readonly #options: LeasesOptions;
  readonly #leases = new Map<string, Lease>();
  readonly #moves: LeaseMoves;
  #timer: NodeJS.Timeout | undefined;
  #lastTickAt = 0;
  #stopListening: (() => void) | undefined;

  constructor(options: LeasesOptions) {
    this.#options = options;
    this.#moves = new LeaseMoves(options);
  }

  start(): void {
    this.#lastTickAt = performance.now();
    this.#timer = setInterval(() => void this.#tick(), tickMs);
    this.#timer.unref();
    // Another process needs quota that may be idle here.
    this.#stopListening = this.#options.changes.listen('lease', (key) => this.#recall(String(key)));
  }

  /** Returns the lease on that account, creating it if needed. */
  of(kind: AccountKind, id: number): Lease {
    const key = `${kind}:${id}`;
    const known = this.#leases.get(key);
    if (known !== undefined) return known;
    const lease = createLease(kind, id);
    this.#leases.set(key, lease);
    return lease;
  }

  /**
   * Reserves `amount` (quota, may be 0), or the available quota if that is at least `least`. Usually returns null: all
   * of it is reserved at once. Otherwise returns a promise of the reserved amount, or of the refusal.
   * @throws {DatabaseUnavailable} from the promise
   */
  reserve(lease: Lease, amount: number, least = amount): null | Promise<number | Refusal> {
    const now = performance.now();
    lease.lastUseAt = now;
    const isServed = lease.free >= amount && (amount === 0 || !isOwing(lease));
    if (isServed && lease.openedAs === this.#options.processId() && lease.waiters.length === 0) {
      lease.free -= amount;
      lease.reserved += amount;
      // The next call may need as much.
      if (lease.free < Math.max(lease.perSecond / 2, amount) && !lease.isServing) this.#growAhead(lease);
      return null;
    }
    return new Promise((resolve, reject) => {
      lease.waiters.push({
        amount,
        least,
        patientUntil: now + patienceMs,
        deadline: now + (this.#options.waitMs ?? waitMs),
        resolve,
        reject,
      });
      this.#serve(lease);
    });
  }

  /** Opens the lease for a call that is charged to it and reserves nothing; null if it is open. The balance may be below zero. */
  use(lease: Lease): null | Promise<number> {
    lease.lastUseAt = performance.now();
    return lease.openedAs === this.#options.processId() ? null : this.#moves.open(lease).then(() => 0);
  }

  /** Quota of the account that is not reserved, as far as this process knows; undefined if it has not read the account. */
  left(account: AccountRef): number | undefined {
    const lease = this.#leases.get(keyOf(account));
    return lease?.knownQuota === undefined ? undefined : lease.knownQuota + lease.free;
  }

  /**
   * Reserves more than the balance; returns false if the account has a debt already.
   * @throws {DatabaseUnavailable}
   */
  overdraw(lease: Lease, amount: number): Promise<boolean> {
    return this.#moves.overdraw(lease, amount);
  }

  /** Ends a reservation. `charge` of it was spent and is already subtracted from the lease in the record. */
  release(lease: Lease, reserved: number, charge: number): void {
    lease.reserved -= reserved;
    lease.free += reserved - charge;
    lease.recent += charge;
    if (lease.waiters.length > 0) lease.wake?.();
    else if (lease.free > 0 && isOwing(lease)) void this.#moves.giveBack(lease);
    else if (lease.wantedUntil > 0 && lease.free > 0) this.#returnWanted(lease);
  }

  /** Ensures that the record has the lease, so that a settlement can charge it. */
  open(lease: Lease): Promise<void> {
    return this.#moves.open(lease);
  }

  /** Resets leases after the identity was lost: running calls are charged to leases of the new one. */
  reset(): void {
    for (const lease of this.#leases.values()) {
      lease.openedAs = undefined;
      lease.fencingToken = 0;
      lease.retainsFencingToken = false;
      lease.free = -lease.reserved;
      lease.isDoubtful = false;
      // At once, before other processes spend what running calls have reserved.
      if (lease.reserved > 0) void this.#moves.take(lease, lease.reserved).catch((failure: unknown) => this.#moves.doubt(lease, failure));
    }
  }

  /** Returns all quota. No call may have a reservation. Returns false if something could not be returned. */
  async stop(): Promise<boolean> {
    clearInterval(this.#timer);
    this.#stopListening?.();
    const leases = [...this.#leases.values()];
    for (const lease of leases) {
      if (lease.isDoubtful) await this.#moves.readAgain(lease).catch((failure: unknown) => this.#moves.doubt(lease, failure));
    }
    for (const lease of leases) await this.#moves.giveBack(lease);
    const closed = await Promise.all(leases.map((lease) => this.#close(lease)));
    return closed.every(Boolean);
  }

  /** Returns free quota of the lease to other processes, now and for a while. */
  async #recall(key: string): Promise<void> {
    const lease = this.#leases.get(key);
    if (lease === undefined || lease.isRecalling) return;
    lease.wantedUntil = performance.now() + wantedMs;
    if (lease.isDoubtful) this.#serve(lease);
    // Calls waiting here need it as well.
    if (lease.free > 0 && lease.waiters.length === 0) await this.#moves.giveBack(lease);
  }

  #returnWanted(lease: Lease): void {
    if (performance.now() < lease.wantedUntil) void this.#moves.giveBack(lease);
    else lease.wantedUntil = 0;
  }

  // A lease that fits the traffic saves writes. It grows before the free quota runs out.
  #growAhead(lease: Lease): void {
    const ahead = this.#ahead(lease);
    if (ahead <= 0) return;
    lease.isServing = true;
    this.#moves
      .take(lease, ahead)
      .catch((failure: unknown) => this.#moves.doubt(lease, failure))
      .finally(() => {
        lease.isServing = false;
        if (lease.waiters.length > 0) this.#serve(lease);
      });
  }

  /**
   * Additional quota to take: two seconds of charges, or as much as is reserved now because calls come in bursts, but
   * at most an eighth of the balance.
   */
  #ahead(lease: Lease): number {
    if (lease.knownQuota === undefined || lease.wantedUntil > 0) return 0;
    return Math.max(0, Math.min(Math.max(Math.ceil(lease.perSecond * 2), lease.reserved), Math.floor(lease.knownQuota / 8)));
  }

  #serve(lease: Lease): void {
    if (lease.isServing) return;
    lease.isServing = true;
    this.#serveWaiters(lease)
      .catch((failure: unknown) => {
        this.#moves.doubt(lease, failure);
        for (const waiter of lease.waiters.splice(0)) waiter.reject(failure);
      })
      .finally(() => {
        lease.isServing = false;
        if (lease.waiters.length > 0) this.#serve(lease);
        else if (lease.wantedUntil > 0 && lease.free > 0) this.#returnWanted(lease);
      });
  }

  async #serveWaiters(lease: Lease): Promise<void> {
    let recallAgainAt = 0;
    for (;;) {
      // Returns at once during a settlement: known free quota can be reserved meanwhile.
      if (lease.isDoubtful) await this.#moves.readAgain(lease);
      if (isOwing(lease) && lease.free > 0) await this.#moves.giveBack(lease);
      this.#grant(lease);
      if (lease.waiters.length === 0) return;
      if (await this.#moves.take(lease, missing(lease) + this.#ahead(lease))) continue;
      const record = await readAccount(this.#options.db, lease);
      if (record === null) {
        refuse(lease, 0, () => true);
        return;
      }
      const processId = this.#options.processId();
      const isFrozen = record.leases[frozenKey(processId)] !== undefined;
      if (isFrozen || (lease.openedAs === processId && record.leases[processId] === undefined)) {
        await this.#options.onLost(processId);
        continue;
      }
      // An abandoned write was executed after all.
      if ((record.fencing_tokens?.[processId] ?? 0) !== lease.fencingToken) {
        lease.isDoubtful = true;
        continue;
      }
      // Running calls may have freed enough meanwhile.
      this.#grant(lease);
      if (lease.waiters.length === 0) return;
      const quota = quotaOf(record);
      lease.knownQuota = quota;
      const amount = affordable(lease, quota);
      if (amount !== null) {
        await this.#moves.take(lease, amount);
        continue;
      }
      const leased = leasedOf(record);
      if (await this.#serveWithLess(lease, { quota, leased })) continue;
      const isLeasedElsewhere = Object.entries(record.leases).some(([key, leasedThere]) => key !== processId && leasedThere > 0);
      const balance = quota + leased;
      const now = performance.now();
      // More quota may come: from running calls, from idle leases of other processes, and from writes in flight.
      if (lease.isDoubtful) failLate(lease);
      else refuse(lease, balance, (waiter) => waiter.least > balance || waiter.deadline <= now);
      if (lease.waiters.length === 0) continue;
      if (isLeasedElsewhere && now >= recallAgainAt) {
        recallAgainAt = now + recallMs;
        await this.#recallFromOthers(lease);
      }
      // Too little for any call here, but it may suffice for a call of another process.
      if (lease.free > 0) await this.#moves.giveBack(lease);
      await pause(lease, pollMs);
    }
  }

  /** If no waiting call can get its full amount, the first that can begin with less gets the available quota. */
  async #serveWithLess(lease: Lease, { quota, leased }: { quota: number; leased: number }): Promise<boolean> {
    const available = lease.free + Math.max(0, quota);
    const held = lease.free + lease.reserved;
    const now = performance.now();
    const accepts = (waiter: Waiter) =>
      waiter.least < waiter.amount && (leased <= held || quota + leased < waiter.amount || now >= waiter.patientUntil);
    if (quota < 0 || !lease.waiters.some((waiter) => waiter.least <= available && accepts(waiter))) return false;
    if (quota > 0 && !(await this.#moves.take(lease, quota))) return false;
    if (lease.openedAs !== this.#options.processId()) return false;
    return grantLess(lease, accepts);
  }

  async #recallFromOthers(lease: Lease): Promise<void> {
    lease.isRecalling = true;
    try {
      await this.#options.changes.announce('lease', keyOf(lease));
    } finally {
      lease.isRecalling = false;
    }
  }

  #grant(lease: Lease): void {
    if (lease.openedAs === this.#options.processId()) grant(lease);
  }

  async #tick(): Promise<void> {
    const now = performance.now();
    const seconds = Math.max(0.05, (now - this.#lastTickAt) / 1000);
    this.#lastTickAt = now;
    const idle: Lease[] = [];
    for (const lease of this.#leases.values()) {
      lease.perSecond = lease.perSecond * 0.7 + (lease.recent / seconds) * 0.3;
      if (lease.perSecond < 1) lease.perSecond = 0;
      lease.recent = 0;
      if (lease.wantedUntil > 0 && now > lease.wantedUntil) lease.wantedUntil = 0;
      if (lease.waiters.length > 0 || lease.isServing) continue;
      // The serving loop reads the lease again, at once, because other processes may need its quota.
      if (lease.isDoubtful) this.#serve(lease);
      else if (now - lease.lastUseAt < idleMs) continue;
      else if (lease.free !== 0) idle.push(lease);
      else if (now - lease.lastUseAt >= closeMs) void this.#close(lease);
    }
    for (const lease of idle) await this.#moves.giveBack(lease);
  }

  /** Returns false if the record may still hold quota of this process. */
  async #close(lease: Lease): Promise<boolean> {
    const isIdle = lease.calls === 0 && lease.reserved === 0 && lease.free === 0 && lease.writing === 0 && lease.waiters.length === 0;
    if (!isIdle || lease.isServing || lease.isDoubtful) return false;
    this.#leases.delete(keyOf(lease));
    return this.#moves.close(lease);
  }
}
