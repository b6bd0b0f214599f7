// Money that this process may spend without asking: when it is taken from an account, when it goes back, and who gets it.
// Invariant once nothing is under way: the record's `leases.<process>` = free + reserved.
import type { Logger } from 'pino';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { ChangeFeed } from '#server/db/changes.ts';
import type { Database } from '#server/db/database.ts';
import { frozenKey } from '#server/money/account.ts';
import type { AccountKind } from '#server/money/account.ts';
import { admit, affordable, createAccount, giveUp, missing, pause, refuse } from '#server/money/lease-account.ts';
import type { Account, Refusal } from '#server/money/lease-account.ts';
import type { AccountRecord, LeaseOf } from '#server/money/lease-records.ts';
import { beginTerm, closeLease, growLease, openLease, quotaOf, readAccount, shrinkLease } from '#server/money/lease-records.ts';

// Durations are measured on the monotonic clock: a changed wall clock must not refuse anybody.

/** How long a call waits for money that is known to exist elsewhere. */
const waitMs = 1_000;
const pollMs = 40;
const tickMs = 250;
/** A free lease goes back after this long without a reservation. */
const idleMs = 1_000;
/** The lease field itself is removed from the record after this long without use. */
const closeMs = 60_000;
/** Whoever misses money that is leased elsewhere says so this often. */
const recallMs = 300;
/** Whoever was told so returns what comes free, for this long. */
const wantedMs = 1_000;

export interface LeasesOptions {
  db: Database;
  changes: ChangeFeed;
  log: Logger;
  processId(): string;
  /** Whether the books of that identity are still its own. */
  isAlive(processId: string): Promise<boolean>;
  /** That identity was lost: resolves when a new one is there, and `reset` was called. */
  onLost(processId: string): Promise<void>;
  /** Number of the last log row given out; what is settled later carries a bigger one. */
  lastSeq(): number;
}

export class Leases {
  readonly #options: LeasesOptions;
  readonly #accounts = new Map<string, Account>();
  readonly #closing = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #lastTickAt = 0;
  /** Number of the last term that was begun, of any lease. */
  #lastTerm = 0;
  #stopListening: (() => void) | undefined;

  constructor(options: LeasesOptions) {
    this.#options = options;
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
   * Reserves `amount` (quota, may be 0). Null: done at once, the usual case. Otherwise a promise of null, or of the reason
   * for the refusal. @throws {DatabaseUnavailable} from the promise
   */
  reserve(account: Account, amount: number): null | Promise<Refusal | null> {
    account.lastUseAt = performance.now();
    account.recent += amount;
    if (account.free >= amount && account.openedAs === this.#options.processId() && account.waiters.length === 0 && !account.isDoubtful) {
      account.free -= amount;
      account.reserved += amount;
      if (account.free < account.perSecond / 2 && !account.isServing) this.#growAhead(account);
      return null;
    }
    return new Promise((resolve, reject) => {
      account.waiters.push({ amount, deadline: performance.now() + waitMs, resolve, reject });
      this.#serve(account);
    });
  }

  /** Gives a reservation back, `charge` of it spent and already taken from the record's lease. */
  release(account: Account, reserved: number, charge: number): void {
    account.reserved -= reserved;
    account.free += reserved - charge;
    if (account.waiters.length > 0) account.wake?.();
    else if (account.wantedUntil > 0 && account.free > 0) this.#returnWanted(account);
  }

  /** A settlement is about to change the lease in the record; until `letGo` what is read there means nothing. */
  hold(account: Account): void {
    account.writing += 1;
    account.written += 1;
  }

  letGo(account: Account): void {
    account.writing -= 1;
  }

  /** Makes sure that the lease field exists, so that a settlement finds it. */
  async open(account: Account): Promise<void> {
    const processId = this.#options.processId();
    if (account.openedAs === processId || (await this.#take(account, 0)) || account.openedAs === processId) return;
    // It may be there already, by a write that was given up.
    const record = await this.#beginTerm(account, processId);
    if (record === null || processId !== this.#options.processId()) return;
    if (record.leases[processId] === undefined) {
      await this.#take(account, 0);
      return;
    }
    if (!(await this.#options.isAlive(processId))) {
      await this.#options.onLost(processId);
      return;
    }
    account.openedAs = processId;
    account.isDoubtful = true;
  }

  /** After the identity was lost: leases of the old one are gone, what runs is owed by the new one. */
  reset(): void {
    for (const account of this.#accounts.values()) {
      account.openedAs = undefined;
      account.term = 0;
      account.free = -account.reserved;
      account.isDoubtful = false;
      // Best at once, or others spend what running calls have reserved.
      if (account.reserved > 0) void this.#take(account, account.reserved).catch((failure: unknown) => this.#doubt(account, failure));
    }
  }

  /** Gives everything back; nothing may be reserved any more. False when something could not be returned. */
  async stop(): Promise<boolean> {
    clearInterval(this.#timer);
    this.#stopListening?.();
    const accounts = [...this.#accounts.values()];
    for (const account of accounts) {
      if (account.isDoubtful) await this.#readAgain(account).catch((failure: unknown) => this.#doubt(account, failure));
    }
    await this.#giveBack(accounts);
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
    if (account.free > 0 && account.waiters.length === 0) await this.#giveBack([account]);
  }

  #returnWanted(account: Account): void {
    if (performance.now() < account.wantedUntil) void this.#giveBack([account]);
    else account.wantedUntil = 0;
  }

  // A lease sized to the traffic saves writes; it is taken while there is still enough left to go on with.
  #growAhead(account: Account): void {
    const ahead = this.#ahead(account);
    if (ahead <= 0) return;
    account.isServing = true;
    this.#take(account, ahead)
      .catch((failure: unknown) => this.#doubt(account, failure))
      .finally(() => {
        account.isServing = false;
        if (account.waiters.length > 0) this.#serve(account);
      });
  }

  /** How much more than needed to take: two seconds of traffic, but never a big part of a small balance. */
  #ahead(account: Account): number {
    if (account.knownQuota === undefined || account.wantedUntil > 0) return 0;
    return Math.max(0, Math.min(Math.ceil(account.perSecond * 2), Math.floor(account.knownQuota / 8)));
  }

  #serve(account: Account): void {
    if (account.isServing) return;
    account.isServing = true;
    this.#serveWaiters(account)
      .catch((failure: unknown) => {
        this.#doubt(account, failure);
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
      if (account.isDoubtful && !(await this.#readAgain(account))) {
        // A settlement is under way. It may last as long as the database is away, which is longer than anybody waits.
        giveUp(account);
        if (account.waiters.length === 0) return;
        await pause(account, pollMs);
        continue;
      }
      this.#admit(account);
      if (account.waiters.length === 0) return;
      if (await this.#take(account, missing(account) + this.#ahead(account))) continue;
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
        await this.#take(account, amount);
        continue;
      }
      const isLeasedElsewhere = Object.entries(record.leases).some(([key, lease]) => key !== processId && lease > 0);
      const balance = Object.values(record.leases).reduce((sum, lease) => sum + lease, quota);
      const now = performance.now();
      // Running calls, here and elsewhere, may give something back; so may idle leases elsewhere.
      const mayCome = isLeasedElsewhere || account.reserved > 0;
      refuse(account, balance, (waiter) => !mayCome || waiter.deadline <= now);
      if (account.waiters.length === 0) continue;
      if (isLeasedElsewhere && now >= recallAgainAt) {
        recallAgainAt = now + recallMs;
        await this.#askOthers(account);
      }
      // Too little for anybody here, but others may lack just that.
      if (account.free > 0) await this.#giveBack([account]);
      await pause(account, pollMs);
    }
  }

  async #askOthers(account: Account): Promise<void> {
    account.isRecalling = true;
    try {
      await this.#options.changes.announce('lease', `${account.kind}:${account.id}`);
    } finally {
      account.isRecalling = false;
    }
  }

  #admit(account: Account): void {
    if (account.openedAs === this.#options.processId()) admit(account);
  }

  /** Moves quota into the lease; false when the record has less, or when the lease is no longer ours to grow. */
  async #take(account: Account, amount: number): Promise<boolean> {
    await this.#closing.get(`${account.kind}:${account.id}`);
    const processId = this.#options.processId();
    const isOpen = account.openedAs === processId;
    this.hold(account);
    try {
      const { db, lastSeq } = this.#options;
      const lease = this.#lease(account, processId);
      if (!isOpen) this.#lastTerm += 1;
      const newTerm = isOpen ? lease.term : this.#lastTerm;
      const record = isOpen ? await growLease(db, lease, amount) : await openLease(db, lease, { amount, newTerm, lastSeq: lastSeq() });
      if (record === null) return false;
      // Whoever settles our books freezes the leases that he finds after he has claimed them. One that is new may come too
      // late for him, so it counts only when we are known to live after it was taken.
      if (!isOpen && !(await this.#options.isAlive(processId))) {
        const opened = { ...lease, term: newTerm };
        await shrinkLease(db, opened, amount);
        await closeLease(db, opened);
        await this.#options.onLost(processId);
        return false;
      }
      if (processId !== this.#options.processId()) return false; // settled with the rest of that identity
      account.openedAs = processId;
      account.term = Math.max(account.term, newTerm);
      account.free += amount;
      account.knownQuota = quotaOf(record);
      return true;
    } finally {
      this.letGo(account);
    }
  }

  #lease({ kind, id, term }: Account, processId: string): LeaseOf {
    return { kind, id, term, processId };
  }

  /** From here on no write that was given up changes the lease any more. Null: the account is gone, or a newer term has begun. */
  async #beginTerm(account: Account, processId: string): Promise<AccountRecord | null> {
    this.#lastTerm += 1;
    const term = this.#lastTerm;
    const record = await beginTerm(this.#options.db, this.#lease(account, processId), term);
    if (record !== null && processId === this.#options.processId()) account.term = Math.max(account.term, term);
    return record;
  }

  #doubt(account: Account, failure: unknown): void {
    if (!(failure instanceof DatabaseUnavailable)) this.#options.log.error({ err: failure }, 'a lease could not be taken');
    account.isDoubtful = true;
  }

  /** Resolves a doubt; false while writes that change the lease are under way. */
  async #readAgain(account: Account): Promise<boolean> {
    if (account.writing > 0) return false;
    const { written } = account;
    const processId = this.#options.processId();
    const record = await this.#beginTerm(account, processId);
    if (record === null && (await readAccount(this.#options.db, account)) !== null) return false;
    const lease = record?.leases[processId];
    if (lease !== undefined && account.openedAs !== processId && !(await this.#options.isAlive(processId))) {
      await this.#options.onLost(processId);
      return false;
    }
    if (account.written !== written || processId !== this.#options.processId()) return false;
    account.isDoubtful = false;
    account.openedAs = lease === undefined ? undefined : processId;
    account.free = (lease ?? 0) - account.reserved;
    return true;
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
    if (idle.length > 0) await this.#giveBack(idle);
  }

  async #giveBack(accounts: readonly Account[]): Promise<void> {
    for (const account of accounts) {
      const processId = this.#options.processId();
      if (account.isDoubtful || account.openedAs !== processId || account.free === 0) continue;
      const amount = account.free;
      account.free = 0;
      this.hold(account);
      try {
        const record = await shrinkLease(this.#options.db, this.#lease(account, processId), amount);
        if (account.openedAs !== processId) continue; // settled with the rest of that identity
        if (record === null) account.isDoubtful = true;
        else account.knownQuota = quotaOf(record);
      } catch (failure) {
        if (account.openedAs === processId) this.#doubt(account, failure);
      } finally {
        this.letGo(account);
      }
    }
  }

  /** Removes this process' fields from the record of an account that is not used. False when they may still be there. */
  async #close(account: Account): Promise<boolean> {
    const key = `${account.kind}:${account.id}`;
    const isIdle =
      account.calls === 0 && account.reserved === 0 && account.free === 0 && account.writing === 0 && account.waiters.length === 0;
    if (!isIdle || account.isServing || account.isDoubtful) return false;
    this.#accounts.delete(key);
    if (account.openedAs === undefined && account.term === 0) return true;
    const lease = this.#lease(account, account.openedAs ?? this.#options.processId());
    account.openedAs = undefined;
    let isClosed = false;
    const work = closeLease(this.#options.db, lease)
      .then(
        (record) => void (isClosed = record !== null),
        // Harmless: an empty lease is left for settle-leftovers.
        (failure: unknown) => this.#options.log.warn({ reason: String(failure) }, 'an empty lease could not be removed'),
      )
      .finally(() => this.#closing.delete(key));
    this.#closing.set(key, work);
    await work;
    return isClosed;
  }
}
