// Moves money between an account's record and this process's lease. If the outcome of a write is unknown, determines
// what the lease holds.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DatabaseClosed, DatabaseUnavailable } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import { type AccountRecord, quotaOf, readAccount } from '#server/money/account.ts';
import { beginWrite, endWrite, keyOf, type Lease } from '#server/money/leases/lease.ts';
import {
  closeLease,
  growLease,
  type LeaseRef,
  openLease,
  overdrawLease,
  raiseFencingToken,
  shrinkLease,
  undoOpening,
} from '#server/money/leases/lease-records.ts';

const undoMs = 250;

export interface LeaseMovesOptions {
  db: Database;
  log: Logger;
  processId(): string;
  /** Returns false if another process has begun to settle the books of that identity. */
  isAlive(processId: string): Promise<boolean>;
  /** Reports the loss of an identity. Resolves when there is a new one and `reset` was called. */
  onLost(processId: string): Promise<void>;
  /** Number of the last log row issued. Later settlements have greater numbers. */
  lastSeq(): number;
}

export class LeaseMoves {
  readonly #options: LeaseMovesOptions;
  readonly #closing = new Map<string, Promise<void>>();
  /** Last fencing token issued, for any lease. */
  #lastFencingToken = 0;

  constructor(options: LeaseMovesOptions) {
    this.#options = options;
  }

  /** Ensures that the record has the lease, so that a settlement can charge it. */
  async open(lease: Lease): Promise<void> {
    const processId = this.#options.processId();
    if (lease.openedAs === processId || (await this.take(lease, 0)) || lease.openedAs === processId) return;
    // An abandoned write may have opened it.
    const record = await this.#raiseFencingToken(lease, processId);
    if (record === null || processId !== this.#options.processId()) return;
    if (record.leases[processId] === undefined) {
      await this.take(lease, 0);
      return;
    }
    if (!(await this.#options.isAlive(processId))) {
      await this.#options.onLost(processId);
      return;
    }
    lease.openedAs = processId;
    lease.isDoubtful = true;
  }

  /** Moves quota into the lease; returns false if the account has less, or the identity or fencing token is outdated. */
  async take(lease: Lease, amount: number): Promise<boolean> {
    await this.#closing.get(keyOf(lease));
    const processId = this.#options.processId();
    const isOpen = lease.openedAs === processId;
    beginWrite(lease);
    try {
      const { db } = this.#options;
      const ref = refOf(lease, processId);
      if (!isOpen) this.#lastFencingToken += 1;
      const newFencingToken = isOpen ? lease.fencingToken : this.#lastFencingToken;
      const record = isOpen ? await growLease(db, ref, amount) : await this.#open(lease, { amount, newFencingToken });
      if (record === null) return false;
      // A process that settles our books claims them first and then freezes the leases it finds. It would miss a lease
      // opened later, so an opening counts only if the books are known to be ours afterwards.
      if (!isOpen && !(await this.#options.isAlive(processId))) {
        await this.#undoOpening({ ...ref, fencingToken: newFencingToken }, amount);
        await this.#options.onLost(processId);
        return false;
      }
      if (processId !== this.#options.processId()) return false; // The lease was settled with the rest of that identity.
      lease.openedAs = processId;
      lease.fencingToken = Math.max(lease.fencingToken, newFencingToken);
      lease.free += amount;
      lease.knownQuota = quotaOf(record);
      return true;
    } finally {
      endWrite(lease);
    }
  }

  /** Reserves more than the balance; returns false if the account has a debt already. */
  async overdraw(lease: Lease, amount: number): Promise<boolean> {
    await this.open(lease);
    const processId = this.#options.processId();
    if (lease.openedAs !== processId) return false;
    beginWrite(lease);
    try {
      const record = await overdrawLease(this.#options.db, refOf(lease, processId), amount);
      if (record === null || processId !== this.#options.processId()) return false;
      lease.reserved += amount;
      lease.knownQuota = quotaOf(record);
      return true;
    } catch (failure) {
      if (lease.openedAs === processId) this.doubt(lease, failure);
      throw failure;
    } finally {
      endWrite(lease);
    }
  }

  async #open(lease: Lease, { amount, newFencingToken }: { amount: number; newFencingToken: number }): Promise<AccountRecord | null> {
    const { db, lastSeq, processId } = this.#options;
    try {
      return await openLease(db, refOf(lease, processId()), { amount, newFencingToken, lastSeq: lastSeq() });
    } catch (failure) {
      lease.retainsFencingToken = true;
      throw failure;
    }
  }

  /** Retries until the outcome is certain: otherwise the quota would be missing until the daily search for orphans. */
  async #undoOpening(lease: LeaseRef, amount: number): Promise<void> {
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

  /**
   * Makes all abandoned writes to the lease ineffective. Returns null if the account does not exist, or its record has
   * this token or a greater one.
   */
  async #raiseFencingToken(lease: Lease, processId: string): Promise<AccountRecord | null> {
    this.#lastFencingToken += 1;
    const newFencingToken = this.#lastFencingToken;
    lease.retainsFencingToken = true;
    const record = await raiseFencingToken(this.#options.db, refOf(lease, processId), newFencingToken);
    if (record !== null && processId === this.#options.processId()) lease.fencingToken = Math.max(lease.fencingToken, newFencingToken);
    return record;
  }

  /** Marks the lease after a write with an unknown outcome. */
  doubt(lease: Lease, failure: unknown): void {
    if (!(failure instanceof DatabaseUnavailable)) this.#options.log.error({ err: failure }, 'a lease could not be taken');
    lease.isDoubtful = true;
  }

  /** Reads the lease's amount; returns false while other writes that change it are in progress. */
  async readAgain(lease: Lease): Promise<boolean> {
    if (lease.writing > 0) return false;
    const { written } = lease;
    const processId = this.#options.processId();
    const record = await this.#raiseFencingToken(lease, processId);
    if (record === null && (await readAccount(this.#options.db, lease)) !== null) return false;
    const held = record?.leases[processId];
    if (held !== undefined && lease.openedAs !== processId && !(await this.#options.isAlive(processId))) {
      await this.#options.onLost(processId);
      return false;
    }
    if (lease.written !== written || processId !== this.#options.processId()) return false;
    lease.isDoubtful = false;
    lease.openedAs = held === undefined ? undefined : processId;
    lease.free = (held ?? 0) - lease.reserved;
    return true;
  }

  /** Returns free quota to the account, or moves a debt of its calls into the lease. */
  async giveBack(lease: Lease): Promise<void> {
    const processId = this.#options.processId();
    if (lease.isDoubtful || lease.openedAs !== processId || lease.free === 0) return;
    const amount = lease.free;
    // Subtracted before the write, added after it: `free` never exceeds the actual amount.
    if (amount > 0) lease.free -= amount;
    else if (lease.writing > 0) return;
    beginWrite(lease);
    try {
      const record = await shrinkLease(this.#options.db, refOf(lease, processId), amount);
      if (lease.openedAs !== processId) return; // The lease was settled with the rest of that identity.
      if (record === null) {
        lease.isDoubtful = true;
        return;
      }
      if (amount < 0) lease.free -= amount;
      lease.knownQuota = quotaOf(record);
    } catch (failure) {
      if (lease.openedAs === processId) this.doubt(lease, failure);
    } finally {
      endWrite(lease);
    }
  }

  /**
   * Removes this process's fields from the account's record. No call may use the lease. Returns false if they may
   * remain.
   */
  async close(lease: Lease): Promise<boolean> {
    if (lease.openedAs === undefined && lease.fencingToken === 0) return true;
    const ref = refOf(lease, lease.openedAs ?? this.#options.processId());
    lease.openedAs = undefined;
    let isClosed = false;
    const key = keyOf(lease);
    const work = closeLease(this.#options.db, ref, lease.retainsFencingToken)
      .then(
        (record) => void (isClosed = record !== null),
        // An empty lease is harmless; crash recovery removes it.
        (failure: unknown) => this.#options.log.warn({ reason: String(failure) }, 'an empty lease could not be removed'),
      )
      .finally(() => this.#closing.delete(key));
    this.#closing.set(key, work);
    await work;
    return isClosed;
  }
}

function refOf({ kind, id, fencingToken }: Lease, processId: string): LeaseRef {
  return { kind, id, fencingToken, processId };
}
