// Caches sums of an hour read from rows, by all dimensions, and reads only rows added since: rows are added at any
// time, but removed only by closings (`money/log-closing.ts`), so without a closing, an equal count means equal rows.
import { LogType } from '#shared/logs.ts';
import type { Filter, GroupRow } from '#server/db/collection.ts';
import type { CallSums } from '#server/db/records/call-sums.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { Database } from '#server/db/database.ts';
import { addLatency, addPlaces, emptyLatency, type Latency, latencyScales } from './latency-histogram.ts';
import { quartersOf } from './hour-quarters.ts';
import { addSums, hourSeconds, quarterSeconds } from './rollup-shape.ts';
import { exactRowSums, inMilliseconds, summedRows } from './summed-rows.ts';

/** Sums of calls that are equal in all dimensions. */
export interface RowCell {
  userId: number;
  tokenId: number;
  tokenName: string;
  modelName: string;
  channelId: number;
  sums: CallSums;
}

/** Slices with new rows are read again as a whole. */
const sliceSeconds = 90;
const slicesOfHour = hourSeconds / sliceSeconds;
const slicesOfQuarter = quarterSeconds / sliceSeconds;
/** Maximum rows of a cached hour; beyond it, the store sums them. */
const mostRows = 30_000;
const mostRowsOfUser = 3_000;
const mostHours = 12;

/** Sums of the listed calls of an hour or a part. */
export interface RowPart {
  /** Start in unix seconds, and length. */
  start: number;
  seconds: number;
  cells: RowCell[];
  latency: Latency;
}

/** Sums of the listed calls of an hour, by quarter. */
export type RowHour = RowPart[];

interface Slice extends Pick<RowPart, 'cells' | 'latency'> {
  /** Rows of any kind, which the time index counts without reading them. */
  rows: number;
}

/** Slices of an hour, half-open. */
interface Part {
  from: number;
  to: number;
}

interface StoredHour {
  /** Number of the last closing before reading. */
  closing: number;
  slices: Slice[];
}

const ofDatabases = new WeakMap<Database, RowSumsCache>();

export function rowSumsCacheOf(db: Database): RowSumsCache {
  let hours = ofDatabases.get(db);
  if (hours === undefined) ofDatabases.set(db, (hours = new RowSumsCache(db)));
  return hours;
}

/**
 * Listed calls of one user in an hour, by quarter if `isCut`; `null` if there are too many. Not cached, because other
 * users do not query them.
 */
export async function callsOfUser(
  db: Database,
  hour: number,
  { userId, isCut }: { userId: number; isCut: boolean },
): Promise<RowHour | null> {
  const filter: Filter<LogRecord> = { user_id: userId, and: [rowsOf(hour, { from: 0, to: slicesOfHour })] };
  const [counted] = await db.collection('logs').group({ filter, by: [] });
  if ((counted?.count ?? 0) > mostRowsOfUser) return null;
  const seconds = isCut ? quarterSeconds : hourSeconds;
  return Promise.all(
    (isCut ? quartersOf(hour) : [hour]).map(async (start): Promise<RowPart> => {
      const time = [{ created_at: { gte: start } }, { created_at: { lt: start + seconds } }];
      const { cells, latency } = sliceOf(await db.collection('logs').group({ filter: { user_id: userId, and: time }, ...requested }));
      return { start, seconds, cells, latency };
    }),
  );
}

export class RowSumsCache {
  readonly #db: Database;
  readonly #stored = new Map<number, StoredHour>();
  readonly #reading = new Map<number, Promise<RowHour | null>>();
  readonly #waiting = new Map<number, Promise<RowHour | null>>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Listed calls of an hour; `null` if there are too many. Includes all rows written before this call. */
  read(hour: number): Promise<RowHour | null> {
    const reading = this.#reading.get(hour);
    if (reading === undefined) return this.#begin(hour);
    // The current read may have passed a row written since. Waiting callers share the next read.
    let waiting = this.#waiting.get(hour);
    if (waiting === undefined) {
      const next = (): Promise<RowHour | null> => {
        this.#waiting.delete(hour);
        return this.#begin(hour);
      };
      this.#waiting.set(hour, (waiting = reading.then(next, next)));
    }
    return waiting;
  }

  #begin(hour: number): Promise<RowHour | null> {
    const reading = this.#read(hour).finally(() => {
      if (this.#reading.get(hour) === reading) this.#reading.delete(hour);
    });
    this.#reading.set(hour, reading);
    return reading;
  }

  async #read(hour: number): Promise<RowHour | null> {
    const before = await this.#closings();
    const stored = this.#stored.get(hour);
    const isStored = stored !== undefined && stored.closing === before;
    const slices = isStored ? [...stored.slices] : Array.from({ length: slicesOfHour }, () => emptySlice());
    this.#stored.delete(hour);
    const rows = await this.#count(hour, { from: 0, to: slicesOfHour });
    if (rows > mostRows) return null;
    await this.#renew(hour, slices, { from: 0, to: slicesOfHour, rows });
    const after = await this.#closings();
    // Rows were removed meanwhile, so counts prove nothing.
    if (isStored && after !== before) return this.#read(hour);
    if (before !== undefined && after === before) this.#keep(hour, { closing: before, slices });
    return quartersOf(hour).map((start) => {
      const first = (start - hour) / sliceSeconds;
      const own = slices.slice(first, first + slicesOfQuarter);
      const latency = emptyLatency();
      for (const slice of own) addLatency(latency, slice.latency);
      return { start, seconds: quarterSeconds, cells: own.flatMap((slice) => slice.cells), latency };
    });
  }

  /** Number of the last closing; `undefined` while one is in progress. */
  async #closings(): Promise<number | undefined> {
    const head = await this.#db.collection('log_closings').get('head');
    return head?.batch === undefined ? (head?.last ?? 0) : undefined;
  }

  /** Bisects to find the slices with new rows. */
  async #renew(hour: number, slices: Slice[], part: Part & { rows: number }): Promise<void> {
    const { from, to, rows } = part;
    if (rows === slices.slice(from, to).reduce((sum, slice) => sum + slice.rows, 0)) return;
    if (to - from === 1) {
      slices[from] = sliceOf(await this.#db.collection('logs').group({ filter: rowsOf(hour, part), ...requested }));
      return;
    }
    const middle = Math.floor((from + to) / 2);
    for (const half of [
      { from, to: middle },
      { from: middle, to },
    ]) {
      await this.#renew(hour, slices, { ...half, rows: await this.#count(hour, half) });
    }
  }

  async #count(hour: number, part: Part): Promise<number> {
    const [counted] = await this.#db.collection('logs').group({ filter: rowsOf(hour, part), by: [] });
    return counted?.count ?? 0;
  }

  #keep(hour: number, stored: StoredHour): void {
    this.#stored.set(hour, stored);
    for (const oldest of this.#stored.keys()) {
      if (this.#stored.size <= mostHours) return;
      this.#stored.delete(oldest);
    }
  }
}

const requested = {
  by: ['user_id', 'token_id', 'token_name', 'model_name', 'channel_id', 'failed', 'type', 'hidden'],
  sum: summedRows,
  scales: latencyScales,
} as const;

function emptySlice(): Slice {
  return { rows: 0, cells: [], latency: emptyLatency() };
}

function rowsOf(hour: number, { from, to }: Part): Filter<LogRecord> {
  return { and: [{ created_at: { gte: hour + from * sliceSeconds } }, { created_at: { lt: hour + to * sliceSeconds } }] };
}

function sliceOf(groups: readonly GroupRow[]): Slice {
  const cells = new Map<string, RowCell>();
  const slice = emptySlice();
  for (const group of groups) {
    slice.rows += group.count;
    const isCall = group['type'] === LogType.consumption;
    if (group['hidden'] === true || (!isCall && group['refunded'] === 0)) continue;
    addCell(cells, group);
    if (isCall && group['failed'] !== 1) addPlaces(slice.latency, group);
  }
  return { ...slice, cells: [...cells.values()].map((cell) => ({ ...cell, sums: inMilliseconds(cell.sums) })) };
}

function addCell(cells: Map<string, RowCell>, group: GroupRow): void {
  const userId = Number(group['user_id']);
  const tokenId = Number(group['token_id'] ?? 0);
  const tokenName = String(group['token_name'] ?? '');
  const modelName = String(group['model_name'] ?? '');
  const channelId = Number(group['channel_id']);
  const key = JSON.stringify([userId, tokenId, tokenName, modelName, channelId]);
  const known = cells.get(key);
  if (known === undefined) cells.set(key, { userId, tokenId, tokenName, modelName, channelId, sums: exactRowSums(group) });
  else addSums(known.sums, exactRowSums(group));
}
