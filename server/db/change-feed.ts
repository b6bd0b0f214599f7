// Follows the `changes` collection. Ids are drawn before rows are stored, so a smaller id may become visible after a
// bigger one: the feed knows up to where it has seen every id, and keeps looking for those that are missing in between.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { keysAtOnce } from '#server/db/changes.ts';
import type { ChangeFeed, ChangeListener, ChangesListener } from '#server/db/changes.ts';
import type { ChangeKind, ChangeRecord } from '#server/db/records/change.ts';
import type { Database } from '#server/db/database.ts';

export interface ChangeFeedOptions {
  db: Database;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Told of listeners that fail and of a database that is away (once per outage). */
  onError?: (error: unknown) => void;
  pollMilliseconds?: number;
}

/** A missing id is waited for this long; then the process that drew it is taken for dead. */
const gapMilliseconds = 10_000;
/** A row that took longer than this to store may have been given up: it is announced once more, under a new id, by the next poll. */
const slowStoreMilliseconds = gapMilliseconds / 2;
/** A poll that has sent rows for this long reads on before it sends the others. */
const sendMilliseconds = 1_000;
/**
 * Rows are kept for this long after they were seen: a clock that is ahead of others' would take new ones for old. A process that was away
 * for half of it drops its caches instead.
 */
const retentionMilliseconds = 10 * 60_000;
const pruneEveryMilliseconds = 60_000;
/** How far back a new feed looks for rows that are still on their way. */
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

  /** Every id up to this is done with. */
  #floor = 0;
  /** Ids above the floor that were seen, or are our own. */
  readonly #seen = new Set<number>();
  /** Since when the id right above the floor is missing while later ones are there. */
  #missingSince: number | undefined;
  /** Rows of ours that could not be stored yet. */
  #unsent: { kind: ChangeKind; key: number | string }[] = [];

  #isRunning = false;
  #isAway = false;
  #polledAt = 0;
  #prunedAt = -Infinity;
  /** Up to which id rows had been seen, by the minute. */
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
      const reported = this.#hear(kind, some);
      try {
        await this.#storeOrKeep(kind, some);
      } finally {
        await reported;
      }
      await nextTurn();
    }
  }

  async announceToOthers(kind: ChangeKind, key: number | string): Promise<void> {
    await this.#storeOrKeep(kind, [key]);
  }

  announceHere(kind: ChangeKind, key: number | string): Promise<void> {
    return this.#hear(kind, [key]);
  }

  async #hear(kind: ChangeKind, keys: readonly (number | string)[]): Promise<void> {
    const listeners = this.#listeners.get(kind);
    if (listeners !== undefined) await Promise.all([...listeners].map((listener) => this.#guard(() => listener(keys))));
  }

  /** Unless rows are known to be stored in time, the others must hear of them once the database is back, whatever the caller does now. */
  async #storeOrKeep(kind: ChangeKind, keys: readonly (number | string)[]): Promise<void> {
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

  /** False when it took so long that others may have given it up. */
  async #store(kind: ChangeKind, keys: readonly (number | string)[]): Promise<boolean> {
    const drawnAt = performance.now();
    const ids = keys.length === 1 ? [await this.#db.nextId('changes')] : await this.#db.nextIds('changes', keys.length);
    const rows = keys.map((key, index) => ({ id: ids[index] ?? 0, kind, key, at: this.#now() }));
    // Our own listeners have heard of them.
    for (const { id } of rows) if (id > this.#floor) this.#seen.add(id);
    const [first] = rows;
    if (first !== undefined && rows.length === 1) await this.#db.collection('changes').insert(first);
    else await this.#db.write(rows.map((row) => ({ insert: row, into: 'changes' })));
    return performance.now() - drawnAt < slowStoreMilliseconds;
  }

  async #follow(): Promise<void> {
    try {
      // While this process slept rows may have been pruned unread; a database that was away may have come back as an
      // older copy, with smaller ids. Either way: begin anew.
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

  /** Begins behind the newest row; what is stored by then concerns nobody who starts now. */
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
      const run = neighbours(news, start);
      await this.#hear(
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
      // Whatever is missing below the next known id is given up.
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
        // What the database refuses would keep this process from reading on for ever.
        if (error instanceof DatabaseUnavailable) throw error;
        this.#onError(error);
      }
      this.#unsent.shift();
      // Behind the others, which wait as long.
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

/** Changes of one kind that follow each other, as many as are heard in one step. */
function neighbours(news: readonly ChangeRecord[], start: number): { kind: ChangeKind; rows: readonly ChangeRecord[] } {
  const kind = news[start]?.kind ?? 'option';
  let end = start + 1;
  while (end < news.length && end - start < keysAtOnce && news[end]?.kind === kind) end += 1;
  return { kind, rows: news.slice(start, end) };
}
