// Counter of a fixed window that all processes share. A process leases a part of the window's allowance by one conditional update and counts in memory:
// never more than the limit passes. The lease is what the waiting calls need and a spare, by the recent rate of use, of at most a sixteenth of what is left,
// which returns half a second later. So what a process does not use is nothing near the end of the allowance.
import { setTimeout as waitFor } from 'node:timers/promises';
import type { LimitRecord } from '#server/db/records/limit.ts';
import type { Filter } from '#server/db/collection.ts';
import { type CounterServices, freshMs, type HeldCounter, leaseMs, mostTries, returnMs, waitEveryMs } from './counter-services.ts';

/** A window as this process knows it. */
export interface Window {
  readonly id: string;
  readonly startAt: number;
  /** Milliseconds since the epoch. */
  readonly endAt: number;
  /** Leased by all processes, as last read. */
  count: number;
  /** Leased here and not used. */
  free: number;
  /** Used here beyond what was leased; added to the shared count soon. */
  owed: number;
  /** Used since the last lease. */
  used: number;
  /** Monotonic milliseconds; -Infinity if never. */
  leasedAt: number;
  readAt: number;
  /** Spare of this process in the shared record. */
  recorded: number;
  /** Whether other processes had spares when the record was read. */
  othersSpare: boolean;
}

/** Returns what is left of a limit in the window, as known here. */
export function leftIn({ count, free, owed }: Window, limit: number): number {
  return Math.min(limit, Math.max(0, limit - count - owed + free));
}

interface Waiting {
  amount: number;
  /** Null: refused. */
  resolve(window: Window | null): void;
  reject(failure: unknown): void;
}

/** Part of what is left that a process may lease in advance. */
const spareShare = 16;
/** Shortest time over which the rate of use is measured. */
const leastMs = 50;

export class WindowCounter implements HeldCounter {
  /** Id without the window. */
  readonly key: string;
  readonly #services: CounterServices;
  readonly #ms: number;
  #window: Window;
  #limit = 0;
  #queue: Waiting[] = [];
  #isRunning = false;
  #waitedAt = -Infinity;
  /** Monotonic milliseconds. */
  usedAt = performance.now();

  /** @param ms length of the window */
  constructor(services: CounterServices, key: string, ms: number) {
    this.#services = services;
    this.key = key;
    this.#ms = ms;
    this.#window = this.#open(services.now());
  }

  /** Reports whether the counter has nothing that its removal from memory would lose. */
  get isIdle(): boolean {
    return !this.#isRunning && this.#window.free === 0 && this.#window.owed === 0;
  }

  /** The current window. */
  get window(): Window {
    const time = this.#services.now();
    const window = this.#window;
    if (time < window.endAt && time >= window.startAt) return window;
    return (this.#window = this.#open(time));
  }

  /** Whole seconds until all of the limit is there again, at least 1. */
  get secondsLeft(): number {
    return Math.max(1, Math.ceil((this.window.endAt - this.#services.now()) / 1000));
  }

  /** Returns what is left of the limit, as known here. */
  left(limit: number): number {
    return leftIn(this.window, limit);
  }

  /**
   * Takes an amount if that much is left, and returns the window of which it was taken, else null. Synchronous while the lease suffices, or while the
   * window is known to be used up.
   */
  take(amount: number, limit: number): Window | null | Promise<Window | null> {
    const { window } = this;
    this.#limit = limit;
    this.usedAt = performance.now();
    const isWithin = window.count + window.owed - window.free + amount <= limit;
    if (this.#queue.length === 0 && window.free >= amount && isWithin) {
      window.free -= amount;
      window.used += amount;
      return window;
    }
    if (!isWithin && !window.othersSpare && this.usedAt - window.readAt < freshMs) return null;
    return new Promise((resolve, reject) => {
      this.#queue.push({ amount, resolve, reject });
      if (!this.#isRunning) void this.#serve();
    });
  }

  /** Gives back what was taken in the window and not used. */
  giveBack(window: Window, amount: number): void {
    if (amount <= 0 || window !== this.#window) return;
    if (window.free === 0) window.leasedAt = performance.now();
    window.free += amount;
    this.#services.onHeld(this);
  }

  /** Counts what was used without having been taken, whatever is left. */
  owe(amount: number): void {
    if (amount <= 0) return;
    const { window } = this;
    const covered = Math.min(window.free, amount);
    window.free -= covered;
    window.owed += amount - covered;
    this.#services.onHeld(this);
  }

  /** Reads the shared count. */
  async refresh(): Promise<void> {
    await this.#read(this.window);
  }

  async tend(isLast: boolean): Promise<boolean> {
    if (this.#isRunning && !isLast) return true;
    const { window } = this;
    try {
      await this.#pay(window);
      if ((window.free > 0 || window.recorded > 0) && (isLast || performance.now() - window.leasedAt >= leaseMs))
        await this.#return(window);
    } catch (failure) {
      this.#services.log.warn({ reason: String(failure) }, 'a rate limit could not be counted');
    }
    return window.free > 0 || window.owed > 0 || window.recorded > 0;
  }

  #open(time: number): Window {
    const startAt = Math.floor(time / this.#ms) * this.#ms;
    const id = windowId(this.key, startAt, this.#ms);
    const { used, leasedAt } = this.#window ?? { used: 0, leasedAt: -Infinity };
    return {
      id,
      startAt,
      endAt: startAt + this.#ms,
      count: 0,
      free: 0,
      owed: 0,
      used,
      leasedAt,
      readAt: -Infinity,
      recorded: 0,
      othersSpare: false,
    };
  }

  /** Serves the waiting calls, all of them by one update. */
  async #serve(): Promise<void> {
    this.#isRunning = true;
    try {
      for (let tries = 0; this.#queue.length > 0; tries += 1) {
        const { window } = this;
        await this.#pay(window);
        const chosen = this.#fitting(window);
        if (chosen.length > 0) {
          const sum = chosen.reduce((total, { amount }) => total + amount, 0);
          if (sum > window.free && !(await this.#lease(window, sum - window.free))) {
            if (tries > mostTries) throw new Error(`The counter ${window.id} could not be changed`);
            await this.#read(window);
            continue;
          }
          // The window may have ended meanwhile: what was leased has ended with it.
          if (window !== this.window) continue;
          window.free -= sum;
          window.used += sum;
          const taken = new Set(chosen);
          this.#queue = this.#queue.filter((waiting) => !taken.has(waiting));
          for (const { resolve } of chosen) resolve(window);
          tries = 0;
        } else if (performance.now() - window.readAt >= freshMs) await this.#read(window);
        else if (window.othersSpare && performance.now() - this.#waitedAt > waitEveryMs) {
          this.#waitedAt = performance.now();
          await waitFor(returnMs);
          await this.#read(window);
          if (window.othersSpare) await this.#forgetSpares(window);
        } else {
          window.othersSpare = false;
          for (const { resolve } of this.#queue.splice(0)) resolve(null);
        }
      }
    } catch (failure) {
      for (const { reject } of this.#queue.splice(0)) reject(failure);
    } finally {
      this.#isRunning = false;
    }
  }

  /** Returns the waiting calls that fit into what is left, in order. */
  #fitting(window: Window): Waiting[] {
    let left = this.#limit - window.count + window.free;
    return this.#queue.filter(({ amount }) => {
      if (amount > left) return false;
      left -= amount;
      return true;
    });
  }

  /** Leases what is needed, and a spare. Returns false if that much is not left. */
  async #lease(window: Window, need: number): Promise<boolean> {
    const { db, processId } = this.#services;
    const spare = this.#spareOf(window, this.#limit - window.count - need);
    const amount = need + spare;
    const { id, endAt } = window;
    const room: Filter<LimitRecord> = { id, count: { lte: this.#limit - amount } };
    const name = `spare.${processId()}` as const;
    const isRecorded = spare > 0 || window.recorded > 0;
    const row = await db
      .collection('limits')
      .patch(
        room,
        { increment: { count: amount }, ...(isRecorded ? { set: { [name]: spare } } : {}) },
        { insertIfMissing: { id, count: amount, reset_at: endAt, spare: spare > 0 ? { [processId()]: spare } : {} } },
      );
    if (row === null) return false;
    window.free += amount;
    window.recorded = spare;
    window.used = 0;
    window.leasedAt = performance.now();
    this.#learn(window, row);
    if (spare > 0) this.#services.onHeld(this);
    return true;
  }

  #spareOf({ used, leasedAt }: Window, left: number): number {
    const rate = used / Math.max(leastMs, performance.now() - leasedAt);
    return Math.max(0, Math.min(Math.floor(left / spareShare), Math.floor(rate * leaseMs)));
  }

  async #read(window: Window): Promise<void> {
    this.#learn(window, (await this.#services.db.collection('limits').get(window.id)) ?? { count: 0 });
  }

  /** Removes the spares of others that were not returned in time: their processes have died, or use them. */
  async #forgetSpares({ id }: Window): Promise<void> {
    const limits = this.#services.db.collection('limits');
    const own = this.#services.processId();
    const set: Record<`spare.${string}`, number> = {};
    for (const process of Object.keys((await limits.get(id))?.spare ?? {})) if (process !== own) set[`spare.${process}`] = 0;
    if (Object.keys(set).length > 0) await limits.patch({ id }, { set });
  }

  #learn(window: Window, { count, spare = {} }: Pick<LimitRecord, 'count' | 'spare'>): void {
    window.count = count;
    window.readAt = performance.now();
    const own = this.#services.processId();
    window.othersSpare = false;
    for (const process in spare) if (process !== own && (spare[process] ?? 0) > 0) window.othersSpare = true;
  }

  async #pay(window: Window): Promise<void> {
    const { owed, id, endAt } = window;
    if (owed === 0) return;
    window.owed = 0;
    const fresh = { id, count: owed, reset_at: endAt, spare: {} };
    window.count += owed;
    try {
      const row = await this.#services.db.collection('limits').patch({ id }, { increment: { count: owed } }, { insertIfMissing: fresh });
      if (row !== null) this.#learn(window, row);
    } catch (failure) {
      // A write that was carried out after all counts twice: less passes, never more.
      window.owed += owed;
      window.count -= owed;
      throw failure;
    }
  }

  /** Returns the unused lease. If the write fails, the lease is lost until the window ends. */
  async #return(window: Window): Promise<void> {
    const { free, id } = window;
    const { db, processId } = this.#services;
    window.free = 0;
    const set = window.recorded > 0 ? { set: { [`spare.${processId()}` as const]: 0 } } : {};
    window.recorded = 0;
    const row = await db.collection('limits').patch({ id }, { increment: { count: -free }, ...set });
    if (row !== null) this.#learn(window, row);
  }
}

/** Id of the record of a window. @param startAt milliseconds since the epoch @param ms length of the window */
export function windowId(key: string, startAt: number, ms: number): string {
  return `${key}:${startAt / ms}`;
}
