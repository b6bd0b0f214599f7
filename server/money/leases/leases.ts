// Money that this process may spend without asking: when it is taken from an account, when it goes back, and who gets it.
// Invariant once nothing is under way: the record's `leases.<process>` = free + reserved.
import type { ChangeFeed } from '#server/db/changes.ts';
import { frozenKey } from '#server/money/account.ts';
import type { AccountKind } from '#server/money/account.ts';
import {
  admit,
  admitWithLess,
  affordable,
  createAccount,
  giveUp,
  hold,
  isOwing,
  keyOf,
  letGo,
  missing,
  pause,
  refuse,
} from '#server/money/leases/lease.ts';
import type { Account, Refusal, Waiter } from '#server/money/leases/lease.ts';
import { LeaseMoves } from '#server/money/leases/lease-moves.ts';
import type { LeaseMovesOptions } from '#server/money/leases/lease-moves.ts';
import { quotaOf, readAccount } from '#server/money/leases/lease-records.ts';

// Durations are measured on the monotonic clock: a changed wall clock must not refuse anybody.

/** How long a call waits for money that is known to exist elsewhere. */
const waitMs = 1_000;
const pollMs = 40;
const tickMs = 250;
/** A free lease goes back after this long without a reservation. */
const idleMs = 1_000;
/** The lease field itself is removed from the record after this long without use. */
const closeMs = 60_000;
/** Whoever could do with less waits this long for others to return what is his. */
const patienceMs = 150;
/** Whoever misses money that is leased elsewhere says so this often. */
const recallMs = 300;
/** Whoever was told so returns what comes free, for this long. */
const wantedMs = 1_000;

export interface LeasesOptions extends LeaseMovesOptions {
  changes: ChangeFeed;
  waitMs?: number;
}

export class Leases {
  readonly #options: LeasesOptions;
  readonly #accounts = new Map<string, Account>();
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
    // Somebody misses money that we may hold idle.
    this.#stopListening = this.#options.changes.listen('lease', (key) => this.#recall(String(key)));
  }

  account(kind: AccountKind, id: number): Account {
    const key = `${kind}:${id}`;
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    const account = createAccount(kind, id);
    this.#accounts.set(key, account);
    return account;
  }

  /**
   * Reserves `amount` (quota, may be 0), or what there is when that is at least `least`. Null: all of it, at once, the usual
   * case. Otherwise a promise of what was reserved, or of the reason for the refusal. @throws {DatabaseUnavailable} from the promise
   */
  reserve(account: Account, amount: number, least = amount): null | Promise<number | Refusal> {
    const now = performance.now();
    account.lastUseAt = now;
    const isServed = account.free >= amount && (amount === 0 || !isOwing(account));
    if (isServed && account.openedAs === this.#options.processId() && account.waiters.length === 0) {
      account.free -= amount;
      account.reserved += amount;
      // The next call may need as much.
      if (account.free < Math.max(account.perSecond / 2, amount) && !account.isServing) this.#growAhead(account);
      return null;
    }
    return new Promise((resolve, reject) => {
      account.waiters.push({
        amount,
        least,
        patientUntil: now + patienceMs,
        deadline: now + (this.#options.waitMs ?? waitMs),
        resolve,
        reject,
      });
      this.#serve(account);
    });
  }

  /** Reserves what the account does not have; false when it owes something already. @throws {DatabaseUnavailable} */
  overdraw(account: Account, amount: number): Promise<boolean> {
    return this.#moves.overdraw(account, amount);
  }

  /** Gives a reservation back, `charge` of it spent and already taken from the record's lease. */
  release(account: Account, reserved: number, charge: number): void {
    account.reserved -= reserved;
    account.free += reserved - charge;
    account.recent += charge;
    if (account.waiters.length > 0) account.wake?.();
    else if (account.free > 0 && isOwing(account)) void this.#moves.giveBack(account);
    else if (account.wantedUntil > 0 && account.free > 0) this.#returnWanted(account);
  }

  /** A settlement is about to change the lease in the record; until `letGo` what is read there means nothing. */
  hold(account: Account): void {
    hold(account);
  }

  letGo(account: Account): void {
    letGo(account);
  }

  /** Makes sure that the lease field exists, so that a settlement finds it. */
  open(account: Account): Promise<void> {
    return this.#moves.open(account);
  }

  /** After the identity was lost: leases of the old one are gone, what runs is owed by the new one. */
  reset(): void {
    for (const account of this.#accounts.values()) {
      account.openedAs = undefined;
      account.term = 0;
      account.keepsTerm = false;
      account.free = -account.reserved;
      account.isDoubtful = false;
      // Best at once, or others spend what running calls have reserved.
      if (account.reserved > 0)
        void this.#moves.take(account, account.reserved).catch((failure: unknown) => this.#moves.doubt(account, failure));
    }
  }

  /** Gives everything back; nothing may be reserved any more. False when something could not be returned. */
  async stop(): Promise<boolean> {
    clearInterval(this.#timer);
    this.#stopListening?.();
    const accounts = [...this.#accounts.values()];
    for (const account of accounts) {
      if (account.isDoubtful) await this.#moves.readAgain(account).catch((failure: unknown) => this.#moves.doubt(account, failure));
    }
    for (const account of accounts) await this.#moves.giveBack(account);
    const closed = await Promise.all(accounts.map((account) => this.#close(account)));
    return closed.every(Boolean);
  }

  /** Gives back what is free of one account at once, and for a while what comes free: somebody needs it. */
  async #recall(key: string): Promise<void> {
    const account = this.#accounts.get(key);
    if (account === undefined || account.isRecalling) return;
    account.wantedUntil = performance.now() + wantedMs;
    if (account.isDoubtful) this.#serve(account);
    // Who waits here needs it just as much.
    if (account.free > 0 && account.waiters.length === 0) await this.#moves.giveBack(account);
  }

  #returnWanted(account: Account): void {
    if (performance.now() < account.wantedUntil) void this.#moves.giveBack(account);
    else account.wantedUntil = 0;
  }

  // A lease sized to the traffic saves writes; it is taken while there is still enough left to go on with.
  #growAhead(account: Account): void {
    const ahead = this.#ahead(account);
    if (ahead <= 0) return;
    account.isServing = true;
    this.#moves
      .take(account, ahead)
      .catch((failure: unknown) => this.#moves.doubt(account, failure))
      .finally(() => {
        account.isServing = false;
        if (account.waiters.length > 0) this.#serve(account);
      });
  }

  /**
   * How much more than needed to take: two seconds of charges, or what is reserved now once more, because calls come in bursts;
   * but never a big part of a small balance.
   */
  #ahead(account: Account): number {
    if (account.knownQuota === undefined || account.wantedUntil > 0) return 0;
    return Math.max(0, Math.min(Math.max(Math.ceil(account.perSecond * 2), account.reserved), Math.floor(account.knownQuota / 8)));
  }

  #serve(account: Account): void {
    if (account.isServing) return;
    account.isServing = true;
    this.#serveWaiters(account)
      .catch((failure: unknown) => {
        this.#moves.doubt(account, failure);
        for (const waiter of account.waiters.splice(0)) waiter.reject(failure);
      })
      .finally(() => {
        account.isServing = false;
        if (account.waiters.length > 0) this.#serve(account);
        else if (account.wantedUntil > 0 && account.free > 0) this.#returnWanted(account);
      });
  }

  async #serveWaiters(account: Account): Promise<void> {
    let recallAgainAt = 0;
    for (;;) {
      // Not while a settlement is under way; what is known does not wait for that.
      if (account.isDoubtful) await this.#moves.readAgain(account);
      if (isOwing(account) && account.free > 0) await this.#moves.giveBack(account);
      this.#admit(account);
      if (account.waiters.length === 0) return;
      if (await this.#moves.take(account, missing(account) + this.#ahead(account))) continue;
      const record = await readAccount(this.#options.db, account);
      if (record === null) {
        refuse(account, 0, () => true);
        return;
      }
      const processId = this.#options.processId();
      const isFrozen = record.leases[frozenKey(processId)] !== undefined;
      if (isFrozen || (account.openedAs === processId && record.leases[processId] === undefined)) {
        await this.#options.onLost(processId);
        continue;
      }
      // A write that was given up has been carried out.
      if ((record.terms?.[processId] ?? 0) !== account.term) {
        account.isDoubtful = true;
        continue;
      }
      // What running calls have given back meanwhile may do.
      this.#admit(account);
      if (account.waiters.length === 0) return;
      const quota = quotaOf(record);
      account.knownQuota = quota;
      const amount = affordable(account, quota);
      if (amount !== null) {
        await this.#moves.take(account, amount);
        continue;
      }
      const leases = Object.values(record.leases).reduce((sum, lease) => sum + lease, 0);
      if (await this.#serveWithLess(account, { quota, leases })) continue;
      const isLeasedElsewhere = Object.entries(record.leases).some(([key, lease]) => key !== processId && lease > 0);
      const balance = quota + leases;
      const now = performance.now();
      // Running calls, here and elsewhere, may give something back; so may idle leases elsewhere, and what is on its way back.
      if (account.isDoubtful) giveUp(account);
      else refuse(account, balance, (waiter) => waiter.least > balance || waiter.deadline <= now);
      if (account.waiters.length === 0) continue;
      if (isLeasedElsewhere && now >= recallAgainAt) {
        recallAgainAt = now + recallMs;
        await this.#askOthers(account);
      }
      // Too little for anybody here, but others may lack just that.
      if (account.free > 0) await this.#moves.giveBack(account);
      await pause(account, pollMs);
    }
  }

  /** Nobody's whole sum is there: who can do with less gets what there is. */
  async #serveWithLess(account: Account, { quota, leases }: { quota: number; leases: number }): Promise<boolean> {
    const there = account.free + Math.max(0, quota);
    const mine = account.free + account.reserved;
    const now = performance.now();
    const isContent = (waiter: Waiter) =>
      waiter.least < waiter.amount && (leases <= mine || quota + leases < waiter.amount || now >= waiter.patientUntil);
    if (quota < 0 || !account.waiters.some((waiter) => waiter.least <= there && isContent(waiter))) return false;
    if (quota > 0 && !(await this.#moves.take(account, quota))) return false;
    if (account.openedAs !== this.#options.processId()) return false;
    return admitWithLess(account, isContent);
  }

  async #askOthers(account: Account): Promise<void> {
    account.isRecalling = true;
    try {
      await this.#options.changes.announce('lease', keyOf(account));
    } finally {
      account.isRecalling = false;
    }
  }

  #admit(account: Account): void {
    if (account.openedAs === this.#options.processId()) admit(account);
  }

  async #tick(): Promise<void> {
    const now = performance.now();
    const seconds = Math.max(0.05, (now - this.#lastTickAt) / 1000);
    this.#lastTickAt = now;
    const idle: Account[] = [];
    for (const account of this.#accounts.values()) {
      account.perSecond = account.perSecond * 0.7 + (account.recent / seconds) * 0.3;
      if (account.perSecond < 1) account.perSecond = 0;
      account.recent = 0;
      if (account.wantedUntil > 0 && now > account.wantedUntil) account.wantedUntil = 0;
      if (account.waiters.length > 0 || account.isServing) continue;
      // The serving loop reads the lease again. At once: others may miss what is in it.
      if (account.isDoubtful) this.#serve(account);
      else if (now - account.lastUseAt < idleMs) continue;
      else if (account.free !== 0) idle.push(account);
      else if (now - account.lastUseAt >= closeMs) void this.#close(account);
    }
    for (const account of idle) await this.#moves.giveBack(account);
  }

  /** False when something of this process may still be in the account's record. */
  async #close(account: Account): Promise<boolean> {
    const isIdle =
      account.calls === 0 && account.reserved === 0 && account.free === 0 && account.writing === 0 && account.waiters.length === 0;
    if (!isIdle || account.isServing || account.isDoubtful) return false;
    this.#accounts.delete(keyOf(account));
    return this.#moves.close(account);
  }
}
