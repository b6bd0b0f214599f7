// Follows the `changes` collection. Ids are drawn before rows are stored, so a smaller id may appear after a larger
// one: the feed tracks the id up to which it has seen all, and searches for missing ids above it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { type ChangeFeed, type ChangeListener, type ChangesListener, keysAtOnce } from '#server/db/changes.ts';
import type { ChangeKind, ChangeRecord } from '#server/db/records/change.ts';
import type { Database } from '#server/db/database.ts';

export interface ChangeFeedOptions {
  db: Database;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Receives errors of listeners, and of an unavailable database (once per outage). */
  onError?: (error: unknown) => void;
  pollMilliseconds?: number;
}

/** Maximum wait for a missing id; then the process that drew it counts as dead. */
const gapMilliseconds = 10_000;
/**
 * Rows that took longer than this to store may have been skipped by other processes: the next poll announces them again
 * under new ids.
 */
const slowStoreMilliseconds = gapMilliseconds / 2;
/** Maximum time that a poll sends rows before it reads on. */
const sendMilliseconds = 1_000;
/**
 * Rows are retained for this long after they were seen, because of clock differences. A process that was suspended for
 * half of it drops its caches instead.
 */
const retentionMilliseconds = 10 * 60_000;
const pruneEveryMilliseconds = 60_000;
/** Number of ids before the newest in which a new feed looks for rows in flight. */
const startOverlap = 100;
const pageRows = 500;

export function createChangeFeed(options: ChangeFeedOptions): ChangeFeed {
  return new PollingChangeFeed(options);
}

class PollingChangeFeed implements ChangeFeed {
  readonly #db: Database;
  readonly #now: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #pollMilliseconds: number;
  readonly #listeners = new Map<ChangeKind, Set<ChangesListener>>();
  readonly #gapListeners = new Set<() => void | Promise<void>>();

  /** All ids up to this one have been handled. */
  #floor = 0;
  /** Ids above the floor that were seen, or were drawn here. */
  readonly #seen = new Set<number>();
  /** Time since which the id above the floor is missing while later ones exist. */
  #missingSince: number | undefined;
  /** Changes of this process that the next poll announces: their rows were not stored, or too late. */
  #unsent: { kind: ChangeKind; key: number | string }[] = [];

  #isRunning = false;
  #isAway = false;
  #polledAt = 0;
  #prunedAt = -Infinity;
  /** Last seen id, per minute. */
  readonly #seenUpTo: { id: number; at: number }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #poll: Promise<void> | undefined;

  constructor({ db, now = Date.now, onError = () => {}, pollMilliseconds = 250 }: ChangeFeedOptions) {
    this.#db = db;
    this.#now = now;
    this.#onError = onError;
    this.#pollMilliseconds = pollMilliseconds;
  }

  listen(kind: ChangeKind, listener: ChangeListener): () => void {
    return this.listenMany(kind, async (keys) => {
      await Promise.all(keys.map((key) => this.#guard(() => listener(key))));
    });
  }

  listenMany(kind: ChangeKind, listener: ChangesListener): () => void {
    const listeners = this.#listeners.get(kind) ?? new Set();
    this.#listeners.set(kind, listeners);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  onGap(listener: () => void | Promise<void>): () => void {
    this.#gapListeners.add(listener);
    return () => void this.#gapListeners.delete(listener);
  }

  get lagMs(): number {
    return performance.now() - this.#polledAt;
  }

  async announce(kind: ChangeKind, key: number | string): Promise<void> {
    const reported = this.announceHere(kind, key);
    try {
      await this.announceToOthers(kind, key);
    } finally {
      await reported;
    }
  }

  async announceMany(kind: ChangeKind, keys: readonly (number | string)[]): Promise<void> {
    for (let start = 0; start < keys.length; start += keysAtOnce) {
      const some = keys.slice(start, start + keysAtOnce);
      const reported = this.#notify(kind, some);
      try {
        await this.#storeOrRetry(kind, some);
      } finally {
        await reported;
      }
      await nextTurn();
    }
  }

  async announceToOthers(kind: ChangeKind, key: number | string): Promise<void> {
    await this.#storeOrRetry(kind, [key]);
  }

  announceHere(kind: ChangeKind, key: number | string): Promise<void> {
    return this.#notify(kind, [key]);
  }

  async #notify(kind: ChangeKind, keys: readonly (number | string)[]): Promise<void> {
    const listeners = this.#listeners.get(kind);
    if (listeners !== undefined) await Promise.all([...listeners].map((listener) => this.#guard(() => listener(keys))));
  }

  /** Stores the rows. If they are not stored in time, they are announced again by the next poll. */
  async #storeOrRetry(kind: ChangeKind, keys: readonly (number | string)[]): Promise<void> {
    let isInTime = false;
    try {
      isInTime = await this.#store(kind, keys);
    } finally {
      if (!isInTime) {
        const waiting = new Set(this.#unsent.filter((row) => row.kind === kind).map(({ key }) => key));
        for (const key of keys) if (!waiting.has(key)) this.#unsent.push({ kind, key });
      }
    }
  }

  async start(): Promise<void> {
    if (this.#isRunning) return;
    await this.#position();
    this.#isRunning = true;
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    await this.#poll;
  }

  #schedule(): void {
    if (!this.#isRunning) return;
    this.#timer = setTimeout(() => {
      this.#poll = this.#follow().finally(() => this.#schedule());
    }, this.#pollMilliseconds).unref();
  }

  /** Returns false if it took so long that other processes may have skipped the rows. */
  async #store(kind: ChangeKind, keys: readonly (number | string)[]): Promise<boolean> {
    const drawnAt = performance.now();
    const ids = keys.length === 1 ? [await this.#db.nextId('changes')] : await this.#db.nextIds('changes', keys.length);
    const rows = keys.map((key, index) => ({ id: ids[index] ?? 0, kind, key, at: this.#now() }));
    // Listeners of this process have been called already.
    for (const { id } of rows) if (id > this.#floor) this.#seen.add(id);
    const [first] = rows;
    if (first !== undefined && rows.length === 1) await this.#db.collection('changes').insert(first);
    else await this.#db.write(rows.map((row) => ({ insert: row, into: 'changes' })));
    return performance.now() - drawnAt < slowStoreMilliseconds;
  }

  async #follow(): Promise<void> {
    try {
      // While this process was suspended, rows may have been pruned unread; a database may have been restored from an
      // older copy, with smaller ids. The feed restarts in both cases.
      if (this.#isAway || performance.now() - this.#polledAt > retentionMilliseconds / 2) {
        await this.#position();
        await Promise.all([...this.#gapListeners].map((listener) => this.#guard(listener)));
        this.#isAway = false;
      }
      await this.#sendLeftovers();
      await this.#readNew();
      this.#polledAt = performance.now();
      await this.#prune();
    } catch (error) {
      if (!this.#isAway) this.#onError(error);
      this.#isAway = true;
    }
  }

  /** Starts after the newest row, except for missing ids shortly before it, whose rows may be in flight. */
  async #position(): Promise<void> {
    const changes = this.#db.collection('changes');
    const newest = (await changes.first({}, { sort: [['id', -1]] }))?.id ?? 0;
    this.#floor = Math.max(newest - startOverlap, 0);
    this.#seen.clear();
    this.#seenUpTo.length = 0;
    for (const row of await changes.find({ id: { gt: this.#floor, lte: newest } }, { limit: startOverlap })) this.#seen.add(row.id);
    this.#missingSince = undefined;
    this.#raiseFloor();
    this.#polledAt = performance.now();
  }

  async #readNew(): Promise<void> {
    const changes = this.#db.collection('changes');
    const news: ChangeRecord[] = [];
    for (let from = this.#floor; ;) {
      const rows = await changes.find({ id: { gt: from } }, { sort: [['id', 1]], limit: pageRows });
      for (const row of rows) if (!this.#seen.has(row.id)) news.push(row);
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageRows) break;
      from = last.id;
    }
    for (const row of news) this.#seen.add(row.id);
    this.#raiseFloor();
    for (let start = 0; start < news.length;) {
      const run = changesOfOneKind(news, start);
      await this.#notify(
        run.kind,
        run.rows.map(({ key }) => key),
      );
      start += run.rows.length;
      if (start < news.length) await nextTurn();
    }
  }

  #raiseFloor(): void {
    for (;;) {
      const before = this.#floor;
      while (this.#seen.delete(this.#floor + 1)) this.#floor += 1;
      if (this.#seen.size === 0) {
        this.#missingSince = undefined;
        return;
      }
      if (this.#missingSince === undefined || this.#floor !== before) this.#missingSince = performance.now();
      if (performance.now() - this.#missingSince < gapMilliseconds) return;
      // Missing ids below the next known one are given up.
      let next = Infinity;
      for (const id of this.#seen) next = Math.min(next, id);
      this.#floor = next - 1;
    }
  }

  async #sendLeftovers(): Promise<void> {
    const beganAt = performance.now();
    for (let row = this.#unsent[0]; row !== undefined && performance.now() - beganAt < sendMilliseconds; row = this.#unsent[0]) {
      let isInTime = true;
      try {
        isInTime = await this.#store(row.kind, [row.key]);
      } catch (error) {
        // A row that the database rejects would block the feed for ever.
        if (error instanceof DatabaseUnavailable) throw error;
        this.#onError(error);
      }
      this.#unsent.shift();
      // Too late again: it is announced once more after the others.
      if (!isInTime) this.#unsent.push(row);
    }
  }

  async #prune(): Promise<void> {
    const time = performance.now();
    if (time - this.#prunedAt < pruneEveryMilliseconds) return;
    this.#prunedAt = time;
    this.#seenUpTo.push({ id: this.#floor, at: time });
    const old = this.#seenUpTo.findLast(({ at }) => at <= time - retentionMilliseconds);
    if (old === undefined) return;
    await this.#db.collection('changes').remove({ id: { lte: old.id } });
    this.#seenUpTo.splice(0, this.#seenUpTo.indexOf(old));
  }

  async #guard(listener: () => void | Promise<void>): Promise<void> {
    try {
      await listener();
    } catch (error) {
      this.#onError(error);
    }
  }
}

/** Returns consecutive changes of one kind, up to `keysAtOnce`. */
function changesOfOneKind(news: readonly ChangeRecord[], start: number): { kind: ChangeKind; rows: readonly ChangeRecord[] } {
  const kind = news[start]?.kind ?? 'option';
  let end = start + 1;
  while (end < news.length && end - start < keysAtOnce && news[end]?.kind === kind) end += 1;
  return { kind, rows: news.slice(start, end) };
}
