// Money that this process may spend without asking: per account, what is free and what running calls have reserved.
// Invariant once nothing is under way: the record's `leases.<process>` = free + reserved.
import type { Logger } from 'pino';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { ChangeFeed } from '#server/db/changes.ts';
import type { TokenRecord, UserRecord } from '#server/db/collections.ts';
import type { Database } from '#server/db/database.ts';
import { frozenKey } from '#server/money/account.ts';
import type { AccountKind } from '#server/money/account.ts';

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

export interface Account {
  readonly kind: AccountKind;
  readonly id: number;
  free: number;
  reserved: number;
  /** Calls that hold a reservation here, be it of nothing: as long as there are any, the account stays open. */
  calls: number;
  /** Process id under which the lease field exists in the record; undefined: not opened yet. */
  openedAs: string | undefined;
  /** `quota` of the record when last seen, undefined when never. */
  knownQuota: number | undefined;
  /** Reserved since the last tick, and what that makes per second, smoothed. */
  recent: number;
  perSecond: number;
  lastUseAt: number;
  waiters: Waiter[];
  isServing: boolean;
  /** The outcome of a write is unknown: the lease must be read again before it is used further. */
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

interface Waiter {
  amount: number;
  deadline: number;
  resolve(refusal: Refusal | null): void;
  reject(failure: unknown): void;
}

/** Why a reservation was refused. */
export interface Refusal {
  account: Account;
  /** The balance that there is, in quota; 0 when the account is gone. */
  balance: number;
  need: number;
}

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
    const account: Account = {
      kind,
      id,
      free: 0,
      reserved: 0,
      calls: 0,
      openedAs: undefined,
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
    if (account.openedAs !== this.#options.processId()) await this.#take(account, 0);
  }

  /** After the identity was lost: leases of the old one are gone, what runs is owed by the new one. */
  reset(): void {
    for (const account of this.#accounts.values()) {
      account.openedAs = undefined;
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
        this.#giveUp(account);
        if (account.waiters.length === 0) return;
        await this.#pause(account);
        continue;
      }
      this.#admit(account);
      if (account.waiters.length === 0) return;
      const demand = account.waiters.reduce((sum, waiter) => sum + waiter.amount, 0) - account.free;
      if (await this.#take(account, Math.max(0, demand) + this.#ahead(account))) continue;
      const record = await this.#record(account);
      if (record === null) {
        this.#refuse(account, 0, () => true);
        return;
      }
      const processId = this.#options.processId();
      const isFrozen = record.leases[frozenKey(processId)] !== undefined;
      if (isFrozen || (account.openedAs === processId && record.leases[processId] === undefined)) {
        await this.#options.onLost(processId);
        continue;
      }
      // What running calls have given back meanwhile may do.
      this.#admit(account);
      if (account.waiters.length === 0) return;
      const quota = quotaOf(account, record);
      account.knownQuota = quota;
      const affordable = this.#affordable(account, quota);
      if (affordable !== null) {
        await this.#take(account, affordable);
        continue;
      }
      const isLeasedElsewhere = Object.entries(record.leases).some(([key, lease]) => key !== processId && lease > 0);
      const balance = Object.values(record.leases).reduce((sum, lease) => sum + lease, quota);
      const now = performance.now();
      // Running calls, here and elsewhere, may give something back; so may idle leases elsewhere.
      const mayCome = isLeasedElsewhere || account.reserved > 0;
      this.#refuse(account, balance, (waiter) => !mayCome || waiter.deadline <= now);
      if (account.waiters.length === 0) continue;
      if (isLeasedElsewhere && now >= recallAgainAt) {
        recallAgainAt = now + recallMs;
        await this.#askOthers(account);
      }
      // Too little for anybody here, but others may lack just that.
      if (account.free > 0) await this.#giveBack([account]);
      await this.#pause(account);
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

  /** Serves whoever fits, in order. */
  #admit(account: Account): void {
    if (account.openedAs !== this.#options.processId()) return;
    account.waiters = account.waiters.filter((waiter) => {
      if (waiter.amount > account.free) return true;
      account.free -= waiter.amount;
      account.reserved += waiter.amount;
      waiter.resolve(null);
      return false;
    });
  }

  #refuse(account: Account, balance: number, isRefused: (waiter: Waiter) => boolean): void {
    account.waiters = account.waiters.filter((waiter) => {
      if (!isRefused(waiter)) return true;
      waiter.resolve({ account, balance, need: waiter.amount });
      return false;
    });
  }

  #giveUp(account: Account): void {
    const now = performance.now();
    account.waiters = account.waiters.filter((waiter) => {
      if (waiter.deadline > now) return true;
      waiter.reject(new DatabaseUnavailable('What an account holds is not known until the database settles'));
      return false;
    });
  }

  /** What must be taken so that as many waiters as `quota` pays for can go, in order; null when it pays for none. */
  #affordable(account: Account, quota: number): number | null {
    let take = 0;
    let free = account.free;
    let count = 0;
    for (const waiter of account.waiters) {
      const missing = waiter.amount - free;
      if (missing > quota - take) continue;
      take += Math.max(0, missing);
      free = Math.max(0, -missing);
      count += 1;
    }
    return count === 0 ? null : take;
  }

  /** Moves quota into the lease; false when the record has less, or when the lease is no longer ours to grow. */
  async #take(account: Account, amount: number): Promise<boolean> {
    await this.#closing.get(`${account.kind}:${account.id}`);
    const processId = this.#options.processId();
    const collection = account.kind === 'user' ? this.#options.db.collection('users') : this.#options.db.collection('tokens');
    const field = account.kind === 'user' ? 'quota' : 'remain_quota';
    const lease = `leases.${processId}`;
    const isOpen = account.openedAs === processId;
    this.hold(account);
    try {
      const record = await collection.patch(
        {
          id: account.id,
          ...(amount > 0 ? { [field]: { gte: amount } } : {}),
          ...(isOpen ? { [lease]: { exists: true } } : { [`leases.${frozenKey(processId)}`]: { exists: false } }),
        },
        {
          increment: { [field]: -amount, [lease]: amount },
          // Rows settled before this moment are not for this lease to apply again.
          ...(isOpen ? {} : { max: { [`applied.${processId}`]: this.#options.lastSeq() } }),
        },
      );
      if (record === null) return false;
      // Whoever settles our books freezes the leases that he finds after he has claimed them. One that is new may come too
      // late for him, so it counts only when we are known to live after it was taken.
      if (!isOpen && !(await this.#options.isAlive(processId))) {
        await collection.patch({ id: account.id, [lease]: { exists: true } }, { increment: { [field]: amount, [lease]: -amount } });
        await collection.patch({ id: account.id, [lease]: 0 }, { unset: [lease, `applied.${processId}`] });
        await this.#options.onLost(processId);
        return false;
      }
      if (processId !== this.#options.processId()) return false; // settled with the rest of that identity
      account.openedAs = processId;
      account.free += amount;
      account.knownQuota = quotaOf(account, record);
      return true;
    } finally {
      this.letGo(account);
    }
  }

  async #record(account: Account): Promise<UserRecord | TokenRecord | null> {
    return account.kind === 'user'
      ? await this.#options.db.collection('users').get(account.id)
      : await this.#options.db.collection('tokens').get(account.id);
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
    const record = await this.#record(account);
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

  #pause(account: Account): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        account.wake = undefined;
        resolve();
      };
      const timer = setTimeout(end, pollMs);
      account.wake = end;
    });
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
      const isQuiet = now - account.lastUseAt >= idleMs && account.waiters.length === 0 && !account.isServing;
      if (!isQuiet) continue;
      // The serving loop reads the lease again.
      if (account.isDoubtful) this.#serve(account);
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
      const collection = account.kind === 'user' ? this.#options.db.collection('users') : this.#options.db.collection('tokens');
      const field = account.kind === 'user' ? 'quota' : 'remain_quota';
      const lease = `leases.${processId}`;
      try {
        const record = await collection.patch(
          { id: account.id, [lease]: { exists: true } },
          { increment: { [field]: amount, [lease]: -amount } },
        );
        if (account.openedAs !== processId) continue; // settled with the rest of that identity
        if (record === null) account.isDoubtful = true;
        else account.knownQuota = quotaOf(account, record);
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
    const processId = account.openedAs;
    if (processId === undefined) return true;
    account.openedAs = undefined;
    let isClosed = false;
    const work = this.#options.db
      .collection(account.kind === 'user' ? 'users' : 'tokens')
      .patch({ id: account.id, [`leases.${processId}`]: 0 }, { unset: [`leases.${processId}`, `applied.${processId}`] })
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

function quotaOf(account: Account, record: UserRecord | TokenRecord): number {
  if (account.kind === 'user' && 'quota' in record) return record.quota;
  return 'remain_quota' in record ? record.remain_quota : 0;
}
