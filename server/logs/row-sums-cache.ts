// What the calls of an hour that is read from its rows came to, by everything that tells calls apart. A process keeps it, since
// many questions are asked of the same rows, and reads only what has been added since: rows are added at any time, but
// removed by closings alone (`money/log-closing.ts`). Without a closing since, as many rows as before are the same rows.
import { LogType } from '#shared/logs.ts';
import type { Filter, GroupRow } from '#server/db/collection.ts';
import type { CallSums } from '#server/db/records/call-sums.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { Database } from '#server/db/database.ts';
import { addLatency, addPlaces, emptyLatency, latencyScales } from './latency-histogram.ts';
import type { Latency } from './latency-histogram.ts';
import { quartersOf } from './hour-quarters.ts';
import { addSums, hourSeconds, quarterSeconds } from './rollup-shape.ts';
import { exactRowSums, inMilliseconds, summedRows } from './summed-rows.ts';

/** Calls that nothing tells apart. */
export interface RowCell {
  userId: number;
  tokenId: number;
  tokenName: string;
  modelName: string;
  channelId: number;
  sums: CallSums;
}

/** Read anew as a whole when it has more rows than before. */
const sliceSeconds = 90;
const slicesOfHour = hourSeconds / sliceSeconds;
const slicesOfQuarter = quarterSeconds / sliceSeconds;
/** An hour with more of them is not kept: its sums are asked of the store. */
const mostRows = 30_000;
const mostRowsOfUser = 3_000;
const mostHours = 12;

/** What the listed calls of a part of an hour came to, or of all of it. */
export interface RowPart {
  /** When it began, unix seconds, and how long it is. */
  start: number;
  seconds: number;
  cells: RowCell[];
  latency: Latency;
}

/** What the listed calls of an hour came to, by the quarter. */
export type RowHour = RowPart[];

interface Slice extends Pick<RowPart, 'cells' | 'latency'> {
  /** Of whatever kind: the index of the time counts them without reading them. */
  rows: number;
}

/** Slices of an hour, half-open. */
interface Part {
  from: number;
  to: number;
}

interface StoredHour {
  /** The last closing before it was read. */
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
 * All calls of one user in an hour that are listed, by the quarter where `isCut`; `null`: they are too many. Nobody else asks the same, so
 * they are not kept.
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

  /** All calls of an hour that are listed; `null`: they are too many. Rows that were written before this is called are in it. */
  read(hour: number): Promise<RowHour | null> {
    const reading = this.#reading.get(hour);
    if (reading === undefined) return this.#begin(hour);
    // What is being read may have passed the place of a row that was written since. Those who wait share the next reading.
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
    // Rows went while others came: their number says nothing.
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

  /** The number of the last closing; `undefined` while one is under way. */
  async #closings(): Promise<number | undefined> {
    const head = await this.#db.collection('log_closings').get('head');
    return head?.batch === undefined ? (head?.last ?? 0) : undefined;
  }

  /** Halves until it has found what has more rows than before. */
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
