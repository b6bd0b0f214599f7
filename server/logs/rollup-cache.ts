// What was read of folded hours, kept by this process for a while: the same screen asks for the same hours again and again, and
// what is folded stays as it is until the generation grows (`fold-log.ts`). Whoever asks while it is being read waits for it.
import type { GroupRequest, GroupRow } from '#server/db/collection.ts';
import type { LogHourRecord } from '#server/db/records/log-hour.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { UsageSumRecord } from '#server/db/records/usage-sum.ts';
import type { Database } from '#server/db/database.ts';

/** Two runs of the folding may overlap and write the same hour twice: what was read between its records is not kept for long. */
const keptMs = 300_000;
/** Of all that is kept. */
const mostRows = 100_000;

interface Kept {
  rows: Promise<readonly GroupRow[]>;
  count: number;
  readAt: number;
}

const ofDatabases = new WeakMap<Database, RollupCache>();

export function rollupCacheOf(db: Database): RollupCache {
  let sums = ofDatabases.get(db);
  if (sums === undefined) ofDatabases.set(db, (sums = new RollupCache(db)));
  return sums;
}

export class RollupCache {
  readonly #db: Database;
  readonly #clock: () => number;
  /** The one that was asked for longest ago first. */
  readonly #kept = new Map<string, Kept>();
  #count = 0;

  constructor(db: Database, clock: () => number = () => performance.now()) {
    this.#db = db;
    this.#clock = clock;
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

  #read(key: string, ask: () => Promise<readonly GroupRow[]>): Promise<readonly GroupRow[]> {
    const now = this.#clock();
    const known = this.#kept.get(key);
    if (known !== undefined) this.#drop(key, known);
    if (known !== undefined && now - known.readAt < keptMs) {
      this.#keep(key, known);
      return known.rows;
    }
    const kept: Kept = { rows: ask(), count: 0, readAt: now };
    this.#keep(key, kept);
    kept.rows.then(
      ({ length }) => {
        if (this.#kept.get(key) !== kept) return;
        kept.count = length;
        this.#count += length;
        this.#shrink();
      },
      () => {
        if (this.#kept.get(key) === kept) this.#drop(key, kept);
      },
    );
    return kept.rows;
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.set(key, kept);
    this.#count += kept.count;
  }

  #drop(key: string, kept: Kept): void {
    this.#kept.delete(key);
    this.#count -= kept.count;
  }

  #shrink(): void {
    for (const [key, kept] of this.#kept) {
      if (this.#count <= mostRows && this.#kept.size <= 1_000) return;
      this.#drop(key, kept);
    }
  }
}
