// Caches queries of folded hours for a while: screens repeat them, and folded sums stay unchanged until the generation
// increases (`fold-log.ts`). Concurrent queries share one read.
import { LRUCache } from 'lru-cache';
import type { GroupRequest, GroupRow } from '#server/db/collection.ts';
import type { LogHourRecord } from '#server/db/records/log-hour.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { UsageSumRecord } from '#server/db/records/usage-sum.ts';
import type { Database } from '#server/db/database.ts';

/** Short, because overlapping fold runs may write the same hour twice, and a read may fall in between. */
const retentionMs = 300_000;
/** Maximum rows in the cache. */
const mostRows = 100_000;

/** Maximum queries in the cache. */
const mostQuestions = 1_000;

type Rows = Promise<readonly GroupRow[]>;

const ofDatabases = new WeakMap<Database, RollupCache>();
/** Separate, because a user can create as many sessions as calls: they evict nothing else. */
const sessionsOfDatabases = new WeakMap<Database, RollupCache>();

export function rollupCacheOf(db: Database): RollupCache {
  let sums = ofDatabases.get(db);
  if (sums === undefined) ofDatabases.set(db, (sums = new RollupCache(db)));
  return sums;
}

export function sessionCacheOf(db: Database): RollupCache {
  let sums = sessionsOfDatabases.get(db);
  if (sums === undefined) sessionsOfDatabases.set(db, (sums = new RollupCache(db)));
  return sums;
}

export class RollupCache {
  readonly #db: Database;
  readonly #stored: LRUCache<string, Rows>;

  constructor(db: Database, clock: () => number = () => performance.now()) {
    this.#db = db;
    this.#stored = new LRUCache({ max: mostQuestions, maxSize: mostRows, ttl: retentionMs, ttlResolution: 0, perf: { now: clock } });
  }

  /** `generation`: value of the head read before; the query must cover only folded hours. */
  ofUsage(generation: number, request: GroupRequest<UsageSumRecord>): Promise<readonly GroupRow[]> {
    return this.#read(`usage_sums ${generation} ${JSON.stringify(request)}`, () => this.#db.collection('usage_sums').group(request));
  }

  ofHours(generation: number, request: GroupRequest<LogHourRecord>): Promise<readonly GroupRow[]> {
    return this.#read(`log_hours ${generation} ${JSON.stringify(request)}`, () => this.#db.collection('log_hours').group(request));
  }

  ofRows(generation: number, request: GroupRequest<LogRecord>): Promise<readonly GroupRow[]> {
    return this.#read(`logs ${generation} ${JSON.stringify(request)}`, () => this.#db.collection('logs').group(request));
  }

  /** Queries one session's calls. `revision`: of its record as read before. */
  ofSession(revision: string, request: GroupRequest<LogRecord>): Promise<readonly GroupRow[]> {
    return this.#read(`session ${revision} ${JSON.stringify(request)}`, () => this.#db.collection('logs').group(request));
  }

  #read(key: string, ask: () => Rows): Rows {
    const known = this.#stored.get(key);
    if (known !== undefined) return known;
    const rows = ask();
    const start = this.#stored.perf.now();
    this.#stored.set(key, rows, { size: 1, start });
    const isStored = () => this.#stored.peek(key) === rows;
    rows.then(
      ({ length }) => {
        if (!isStored()) return;
        // The size is known only now; the start time is preserved.
        this.#stored.delete(key);
        this.#stored.set(key, rows, { size: length + 1, start });
      },
      () => void (isStored() && this.#stored.delete(key)),
    );
    return rows;
  }
}
