// Moves money between an account's record and what this process knows of it, and finds out what it holds when a move failed
// and nobody knows whether it was carried out.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DatabaseClosed, DatabaseUnavailable } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import { hold, keyOf, letGo } from '#server/money/leases/lease.ts';
import type { Account } from '#server/money/leases/lease.ts';
import {
  beginTerm,
  closeLease,
  growLease,
  openLease,
  overdrawLease,
  quotaOf,
  readAccount,
  shrinkLease,
  undoOpening,
} from '#server/money/leases/lease-records.ts';
import type { AccountRecord, LeaseOf } from '#server/money/leases/lease-records.ts';

const undoMs = 250;

export interface LeaseMovesOptions {
  db: Database;
  log: Logger;
  processId(): string;
  /** Whether the books of that identity are still its own. */
  isAlive(processId: string): Promise<boolean>;
  /** That identity was lost: resolves when a new one is there, and `reset` was called. */
  onLost(processId: string): Promise<void>;
  /** Number of the last log row given out; what is settled later carries a bigger one. */
  lastSeq(): number;
}

export class LeaseMoves {
  readonly #options: LeaseMovesOptions;
  readonly #closing = new Map<string, Promise<void>>();
  /** Number of the last term that was begun, of any lease. */
  #lastTerm = 0;

  constructor(options: LeaseMovesOptions) {
    this.#options = options;
  }

  /** Makes sure that the lease field exists, so that a settlement finds it. */
  async open(account: Account): Promise<void> {
    const processId = this.#options.processId();
    if (account.openedAs === processId || (await this.take(account, 0)) || account.openedAs === processId) return;
    // It may be there already, by a write that was given up.
    const record = await this.#beginTerm(account, processId);
    if (record === null || processId !== this.#options.processId()) return;
    if (record.leases[processId] === undefined) {
      await this.take(account, 0);
      return;
    }
    if (!(await this.#options.isAlive(processId))) {
      await this.#options.onLost(processId);
      return;
    }
    account.openedAs = processId;
    account.isDoubtful = true;
  }

  /** Moves quota into the lease; false when the record has less, or when the lease is no longer ours to grow. */
  async take(account: Account, amount: number): Promise<boolean> {
    await this.#closing.get(keyOf(account));
    const processId = this.#options.processId();
    const isOpen = account.openedAs === processId;
    hold(account);
    try {
      const { db } = this.#options;
      const lease = this.#lease(account, processId);
      if (!isOpen) this.#lastTerm += 1;
      const newTerm = isOpen ? lease.term : this.#lastTerm;
      const record = isOpen ? await growLease(db, lease, amount) : await this.#open(account, { amount, newTerm });
      if (record === null) return false;
      // Whoever settles our books freezes the leases that he finds after he has claimed them. One that is new may come too
      // late for him, so it counts only when we are known to live after it was taken.
      if (!isOpen && !(await this.#options.isAlive(processId))) {
        await this.#undoOpening({ ...lease, term: newTerm }, amount);
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
      letGo(account);
    }
  }

  /** Reserves what the account does not have; false when it owes something already. */
  async overdraw(account: Account, amount: number): Promise<boolean> {
    await this.open(account);
    const processId = this.#options.processId();
    if (account.openedAs !== processId) return false;
    hold(account);
    try {
      const record = await overdrawLease(this.#options.db, this.#lease(account, processId), amount);
      if (record === null || processId !== this.#options.processId()) return false;
      account.reserved += amount;
      account.knownQuota = quotaOf(record);
      return true;
    } catch (failure) {
      if (account.openedAs === processId) this.doubt(account, failure);
      throw failure;
    } finally {
      letGo(account);
    }
  }

  async #open(account: Account, { amount, newTerm }: { amount: number; newTerm: number }): Promise<AccountRecord | null> {
    const { db, lastSeq, processId } = this.#options;
    try {
      return await openLease(db, this.#lease(account, processId()), { amount, newTerm, lastSeq: lastSeq() });
    } catch (failure) {
      account.keepsTerm = true;
      throw failure;
    }
  }

  /** Until it is certain: it is in nobody's books, and would be missed only by the daily search for strays. */
  async #undoOpening(lease: LeaseOf, amount: number): Promise<void> {
    for (;;) {
      try {
        await undoOpening(this.#options.db, lease, amount);
        return;
      } catch (failure) {
        if (failure instanceof DatabaseClosed || !(failure instanceof DatabaseUnavailable)) throw failure;
        await sleep(undoMs);
      }
    }
  }

  #lease({ kind, id, term }: Account, processId: string): LeaseOf {
    return { kind, id, term, processId };
  }

  /** From here on no write that was given up changes the lease any more. Null: the account is gone, or a newer term has begun. */
  async #beginTerm(account: Account, processId: string): Promise<AccountRecord | null> {
    this.#lastTerm += 1;
    const term = this.#lastTerm;
    account.keepsTerm = true;
    const record = await beginTerm(this.#options.db, this.#lease(account, processId), term);
    if (record !== null && processId === this.#options.processId()) account.term = Math.max(account.term, term);
    return record;
  }

  doubt(account: Account, failure: unknown): void {
    if (!(failure instanceof DatabaseUnavailable)) this.#options.log.error({ err: failure }, 'a lease could not be taken');
    account.isDoubtful = true;
  }

  /** Resolves a doubt; false while writes that change the lease are under way. */
  async readAgain(account: Account): Promise<boolean> {
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

  /** Moves what is free back to the account, or what its calls have overdrawn into the lease. */
  async giveBack(account: Account): Promise<void> {
    const processId = this.#options.processId();
    if (account.isDoubtful || account.openedAs !== processId || account.free === 0) return;
    const amount = account.free;
    // What is on its way there is known when it has arrived, what goes back is gone before: `free` is never more than there is.
    if (amount > 0) account.free -= amount;
    else if (account.writing > 0) return;
    hold(account);
    try {
      const record = await shrinkLease(this.#options.db, this.#lease(account, processId), amount);
      if (account.openedAs !== processId) return; // settled with the rest of that identity
      if (record === null) {
        account.isDoubtful = true;
        return;
      }
      if (amount < 0) account.free -= amount;
      account.knownQuota = quotaOf(record);
    } catch (failure) {
      if (account.openedAs === processId) this.doubt(account, failure);
    } finally {
      letGo(account);
    }
  }

  /** Removes this process' fields from the record of an account that is not used. False when they may still be there. */
  async close(account: Account): Promise<boolean> {
    if (account.openedAs === undefined && account.term === 0) return true;
    const lease = this.#lease(account, account.openedAs ?? this.#options.processId());
    account.openedAs = undefined;
    let isClosed = false;
    const key = keyOf(account);
    const work = closeLease(this.#options.db, lease, account.keepsTerm)
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
