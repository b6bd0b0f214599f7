// What was read of folded hours, kept by this process for a while: the same screen asks for the same hours again and again, and
// what is folded stays as it is until the generation grows (`fold-log.ts`). Whoever asks while it is being read waits for it.
import { LRUCache } from 'lru-cache';
import type { GroupRequest, GroupRow } from '#server/db/collection.ts';
import type { LogHourRecord } from '#server/db/records/log-hour.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { UsageSumRecord } from '#server/db/records/usage-sum.ts';
import type { Database } from '#server/db/database.ts';

/** Two runs of the folding may overlap and write the same hour twice: what was read between its records is not kept for long. */
const retentionMs = 300_000;
/** Of all that is kept. */
const mostRows = 100_000;

/** Of questions. */
const mostQuestions = 1_000;

type Rows = Promise<readonly GroupRow[]>;

const ofDatabases = new WeakMap<Database, RollupCache>();
/** A user makes as many sessions as there are calls: they push nothing else out. */
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

  /** `generation`: the one of the head that was read before; the question is about folded hours alone. */
  ofUsage(generation: number, request: GroupRequest<UsageSumRecord>): Promise<readonly GroupRow[]> {
    return this.#read(`usage_sums ${generation} ${JSON.stringify(request)}`, () => this.#db.collection('usage_sums').group(request));
  }

  ofHours(generation: number, request: GroupRequest<LogHourRecord>): Promise<readonly GroupRow[]> {
    return this.#read(`log_hours ${generation} ${JSON.stringify(request)}`, () => this.#db.collection('log_hours').group(request));
  }

  ofRows(generation: number, request: GroupRequest<LogRecord>): Promise<readonly GroupRow[]> {
    return this.#read(`logs ${generation} ${JSON.stringify(request)}`, () => this.#db.collection('logs').group(request));
  }

  /** Of one session's calls. `revision`: as its record was read before. */
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
        // How much it is, is known only now; it is no younger for that.
        this.#stored.delete(key);
        this.#stored.set(key, rows, { size: length + 1, start });
      },
      () => void (isStored() && this.#stored.delete(key)),
    );
    return rows;
  }
}
