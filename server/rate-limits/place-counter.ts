// Counter of calls that run at the same time, in all processes. A process holds places in a shared record. It returns them half a second after a call has
// ended, and at once while half of the limit is in use. Places of a process that is dead are taken back by the first call that misses them.
import { setTimeout as waitFor } from 'node:timers/promises';
import { type Filter, onField } from '#server/db/collection.ts';
import type { LimitRecord } from '#server/db/records/limit.ts';
import { type CounterServices, freshMs, type HeldCounter, leaseMs, mostTries, returnMs, waitEveryMs } from './counter-services.ts';

interface Waiting {
  resolve(isTaken: boolean): void;
  reject(failure: unknown): void;
}

/** Milliseconds after which a record that no process renews is removed, and between renewals. */
const recordMs = 24 * 3_600_000;
const renewMs = 3_600_000;

export class PlaceCounter implements HeldCounter {
  readonly #services: CounterServices;
  readonly #id: string;
  #limit = 0;
  /** Places of running calls, and places without one. */
  #held = 0;
  #idle = 0;
  /** Places of all processes, as last read. */
  #count = 0;
  #othersHave = false;
  #readAt = -Infinity;
  /** Process in the record. */
  #owner: string;
  /** A write may have been carried out. */
  #isDoubtful = false;
  #idleSince = 0;
  #renewedAt = 0;
  #queue: Waiting[] = [];
  #isServing = false;
  #isReturning = false;
  #waitedAt = -Infinity;
  /** Monotonic milliseconds. */
  usedAt = performance.now();

  constructor(services: CounterServices, id: string) {
    this.#services = services;
    this.#id = id;
    this.#owner = services.processId();
  }

  get isIdle(): boolean {
    return !this.#isServing && this.#held === 0 && this.#idle === 0 && !this.#isDoubtful;
  }

  /** Returns how many more calls may begin, as known here. */
  left(limit: number): number {
    return Math.min(limit, Math.max(0, limit - this.#count + this.#idle));
  }

  async refresh(): Promise<void> {
    await this.#read();
  }

  /** Takes a place if one is left. */
  enter(limit: number): boolean | Promise<boolean> {
    this.#limit = limit;
    this.usedAt = performance.now();
    const isWithin = this.#count - this.#idle < limit;
    if (this.#idle > 0 && this.#queue.length === 0 && isWithin && this.#owner === this.#services.processId()) {
      this.#idle -= 1;
      this.#held += 1;
      return true;
    }
    if (!isWithin && this.usedAt - this.#readAt < freshMs && this.usedAt - this.#waitedAt < waitEveryMs) return false;
    return new Promise((resolve, reject) => {
      this.#queue.push({ resolve, reject });
      if (!this.#isServing) void this.#serve();
    });
  }

  /** Frees the place of a call. */
  leave(): void {
    this.#held -= 1;
    if (this.#idle === 0) this.#idleSince = performance.now();
    this.#idle += 1;
    this.#services.onHeld(this);
    if (2 * this.#count <= this.#limit || this.#isReturning) return;
    this.#isReturning = true;
    setImmediate(() => {
      this.#isReturning = false;
      void this.tend(false);
    });
  }

  async tend(isLast: boolean): Promise<boolean> {
    if (this.#isServing && !isLast) return true;
    if (this.#queue.length > 0 && !isLast) return true;
    this.#isServing = true;
    try {
      await this.#moveToIdentity();
      if (this.#isDoubtful) await this.#repair();
      const isDue = isLast || 2 * this.#count > this.#limit || performance.now() - this.#idleSince >= leaseMs;
      if (this.#idle > 0 && isDue) await this.#return();
      if (this.#held > 0 && performance.now() - this.#renewedAt > renewMs) await this.#renew();
    } catch (failure) {
      this.#isDoubtful = true;
      this.#services.log.warn({ reason: String(failure) }, 'a limit of parallel calls could not be counted');
    } finally {
      this.#isServing = false;
      if (this.#queue.length > 0) void this.#serve();
    }
    return this.#idle > 0 || this.#held > 0 || this.#isDoubtful;
  }

  /** Serves the waiting calls, all of them by one update. */
  async #serve(): Promise<void> {
    this.#isServing = true;
    try {
      await this.#moveToIdentity();
      for (let tries = 0; this.#queue.length > 0; tries += 1) {
        if (tries > mostTries) throw new Error(`The counter ${this.#id} could not be changed`);
        const fit = Math.min(this.#queue.length, this.#limit - this.#count + this.#idle);
        if (fit > 0) {
          if (fit > this.#idle && !(await this.#take(fit - this.#idle))) {
            await this.#read();
            continue;
          }
          this.#idle -= fit;
          this.#held += fit;
          for (const { resolve } of this.#queue.splice(0, fit)) resolve(true);
          tries = 0;
        } else if (performance.now() - this.#readAt >= freshMs) await this.#read();
        else if (this.#othersHave && performance.now() - this.#waitedAt > waitEveryMs) await this.#awaitReturn();
        else for (const { resolve } of this.#queue.splice(0)) resolve(false);
      }
    } catch (failure) {
      this.#isDoubtful = true;
      this.#services.onHeld(this);
      for (const { reject } of this.#queue.splice(0)) reject(failure);
    } finally {
      this.#isServing = false;
    }
  }

  /** Waits for places that other processes have and do not use, unless a call here ends first. */
  async #awaitReturn(): Promise<void> {
    this.#waitedAt = performance.now();
    for (let waited = 0; waited < returnMs && this.#count - this.#idle >= this.#limit; waited += freshMs / 2) {
      await waitFor(freshMs / 2);
      await this.#read();
    }
  }

  async #take(places: number): Promise<boolean> {
    const room: Filter<LimitRecord> = { id: this.#id, count: { lte: this.#limit - places } };
    const name = `places.${this.#owner}` as const;
    const resetAt = this.#services.now() + recordMs;
    const row = await this.#services.db
      .collection('limits')
      .patch(
        room,
        { increment: { count: places, [name]: places }, set: { reset_at: resetAt } },
        { insertIfMissing: { id: this.#id, count: places, reset_at: resetAt, places: { [this.#owner]: places } } },
      );
    if (row === null) return false;
    this.#idle += places;
    this.#renewedAt = performance.now();
    this.#learn(row);
    this.#services.onHeld(this);
    return true;
  }

  async #return(): Promise<void> {
    const places = this.#idle;
    const own = `places.${this.#owner}` as const;
    this.#idle = 0;
    // A process without calls is not in the record, which would have the processes of years.
    const isAll = this.#held === 0;
    const had: Filter<LimitRecord> = { id: this.#id, ...onField<LimitRecord, typeof own>(own, isAll ? places : { gte: places }) };
    const change = isAll ? { increment: { count: -places }, unset: [own] } : { increment: { count: -places, [own]: -places } };
    const row = await this.#services.db.collection('limits').patch(had, change);
    if (row === null) this.#isDoubtful = true;
    else this.#learn(row);
  }

  /** Makes the record agree with what this process holds, after a write whose outcome is unknown. */
  async #repair(): Promise<void> {
    const row = await this.#services.db.collection('limits').get(this.#id);
    const places = this.#held + this.#idle;
    const recorded = row?.places?.[this.#owner] ?? 0;
    const own = `places.${this.#owner}` as const;
    const more = places - recorded;
    if (row !== null && more !== 0) {
      const unchanged = recorded === 0 ? {} : onField<LimitRecord, typeof own>(own, recorded);
      const same: Filter<LimitRecord> = { id: this.#id, ...unchanged };
      await this.#services.db.collection('limits').patch(same, { increment: { count: more, [own]: more } });
    }
    this.#isDoubtful = false;
  }

  async #renew(): Promise<void> {
    this.#renewedAt = performance.now();
    await this.#services.db.collection('limits').patch({ id: this.#id }, { set: { reset_at: this.#services.now() + recordMs } });
  }

  /** After this process was taken for dead, others take its places back: they are taken again under its new id, for the calls that run. */
  async #moveToIdentity(): Promise<void> {
    const { db, processId, now } = this.#services;
    const before = this.#owner;
    const owner = processId();
    if (before === owner) return;
    await this.#free(before);
    this.#owner = owner;
    this.#idle = 0;
    const places = this.#held;
    if (places === 0) return;
    const name = `places.${owner}` as const;
    const fresh = { id: this.#id, count: places, reset_at: now() + recordMs, places: { [owner]: places } };
    await db.collection('limits').patch({ id: this.#id }, { increment: { count: places, [name]: places } }, { insertIfMissing: fresh });
  }

  async #read(): Promise<void> {
    const row = await this.#services.db.collection('limits').get(this.#id);
    this.#learn(row ?? { count: 0 });
    if (this.#othersHave && this.#count >= this.#limit) await this.#freeDead(Object.keys(row?.places ?? {}));
  }

  #learn({ count, places = {} }: Pick<LimitRecord, 'count' | 'places'>): void {
    this.#count = count;
    this.#readAt = performance.now();
    this.#othersHave = false;
    for (const process in places) if (process !== this.#owner && (places[process] ?? 0) > 0) this.#othersHave = true;
  }

  async #freeDead(processes: readonly string[]): Promise<void> {
    const others = processes.filter((id) => id !== this.#owner);
    const found = await this.#services.db.collection('processes').find({ id: { in: others } });
    const alive = new Set(found.filter(({ state }) => state === 'alive').map(({ id }) => id));
    for (const id of others) if (!alive.has(id)) await this.#free(id);
  }

  /** Takes the places of a process back. */
  async #free(process: string): Promise<void> {
    const limits = this.#services.db.collection('limits');
    const places = (await limits.get(this.#id))?.places?.[process];
    if (places === undefined) return;
    const name = `places.${process}` as const;
    const had: Filter<LimitRecord> = { id: this.#id, ...onField<LimitRecord, typeof name>(name, places) };
    const row = await limits.patch(had, { increment: { count: -places }, unset: [name] });
    if (row !== null) this.#learn(row);
  }
}
