// Reads and writes whole databases as rows, for moves, backups and restores: below `Collection`, because rows are copied
// unchanged and indexes are built once all rows are stored.
import type { CollectionName } from '#server/db/database.ts';

export type RowId = number | string;

/** A record as JSON text. */
export interface Row {
  id: RowId;
  doc: string;
}

export interface RowSource {
  readonly kind: 'embedded' | 'mongodb';
  /** Whether all reads see the database at one moment. */
  readonly isSnapshot: boolean;
  /** Counters of numeric ids. */
  counters(): Promise<Map<string, number>>;
  count(name: CollectionName): Promise<number>;
  /** Yields the rows after an id, in id order, in pages bounded by number and bytes. */
  pages(name: CollectionName, after?: RowId): AsyncIterable<Row[]>;
  close(): Promise<void>;
}

/** Progress of a copy, stored in its target with the rows. A database that has one cannot be opened otherwise. */
export interface CopyState {
  kind: 'move' | 'restore';
  /** Identifies the source; a copy is only resumed from the same one. */
  source: string;
  /** Process that writes, and time of its last write in milliseconds. */
  writer: { host: string; pid: number };
  written_at: number;
  /** Collections that are copied. */
  done: string[];
  /** Collection being copied and its last id. */
  current?: { name: string; after: RowId };
}

export interface RowTarget {
  readonly kind: 'embedded' | 'mongodb';
  state(): Promise<CopyState | null>;
  /** Returns a collection that has rows; null if the database is empty. */
  occupied(): Promise<{ name: string; count: number } | null>;
  /** Removes all rows that a copy has written. */
  clear(): Promise<void>;
  saveState(state: CopyState): Promise<void>;
  /** Removes the rows after an id: those that were written after the state was stored. */
  removeAfter(name: CollectionName, after: RowId | undefined): Promise<void>;
  /** Stores the rows, then the state. */
  write(name: CollectionName, rows: readonly Row[], state: CopyState): Promise<void>;
  /** Stores counters of ids and builds all indexes, which proves the unique ones. */
  finish(counters: ReadonlyMap<string, number>, onIndex: (built: number, all: number) => void): Promise<void>;
  /** Reads the stored rows. */
  reader(): Pick<RowSource, 'pages' | 'counters'>;
  /** Removes the state: the database can be opened. */
  release(): Promise<void>;
  close(): Promise<void>;
}

/** Reads a state that `saveState` of either engine has stored. */
export function parseCopyState(text: string): CopyState {
  const state: CopyState = JSON.parse(text);
  return state;
}

/** Bounds of a page. One row may be larger. */
export const pageRows = 500;
export const pageBytes = 4_000_000;

/** The database is the target of a copy that has not ended. */
export function unfinishedCopyText(kind: CopyState['kind']): string {
  return `The database that DATABASE_URL names is the target of a ${kind} that has not ended; run the same command again to resume it`;
}
