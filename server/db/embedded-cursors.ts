// Queries that are read in pieces, in a worker thread. Each has a connection of its own: an open statement holds the snapshot of its
// connection, and whatever else is read there does not see what was committed since.
import type { DatabaseSync } from 'node:sqlite';
import type { Parameter } from '#server/db/embedded-sql.ts';

type Row = Record<string, unknown>;

/** An open cursor keeps the write-ahead log from being cut: a consumer that is this slow gets a new one later. */
const idleMilliseconds = 1_000;
/** Beyond this the one that rested longest is closed, and its consumer opens another where it was. */
const mostCursors = 32;
/** Connections without a cursor that are kept for the next one. */
const spareConnections = 2;

interface Cursor {
  connection: DatabaseSync;
  rows: Iterator<Row>;
  usedAt: number;
}

export interface Cursors {
  open(number: number, sql: string, parameters: readonly Parameter[]): void;
  /** The next rows; undefined when the cursor is no longer there. */
  advance(number: number, count: number): Row[] | undefined;
  drop(number: number): void;
  /** Drops those whose consumers are slow. */
  dropIdle(): void;
}

export function createCursors(connect: () => DatabaseSync): Cursors {
  const spare: DatabaseSync[] = [];
  const cursors = new Map<number, Cursor>();

  function open(number: number, sql: string, parameters: readonly Parameter[]): void {
    if (cursors.size >= mostCursors) {
      const [longest] = [...cursors].toSorted(([, one], [, other]) => one.usedAt - other.usedAt);
      if (longest !== undefined) drop(longest[0]);
    }
    const connection = spare.pop() ?? connect();
    try {
      cursors.set(number, { connection, rows: connection.prepare(sql).iterate(...parameters), usedAt: performance.now() });
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  function advance(number: number, count: number): Row[] | undefined {
    const cursor = cursors.get(number);
    if (cursor === undefined) return undefined;
    const rows: Row[] = [];
    try {
      while (rows.length < count) {
        const next = cursor.rows.next();
        if (next.done === true) {
          drop(number);
          break;
        }
        rows.push(next.value);
      }
    } catch (error) {
      cursors.delete(number);
      cursor.connection.close();
      throw error;
    }
    cursor.usedAt = performance.now();
    return rows;
  }

  function drop(number: number): void {
    const cursor = cursors.get(number);
    if (cursor === undefined) return;
    cursors.delete(number);
    cursor.rows.return?.();
    if (spare.length < spareConnections) spare.push(cursor.connection);
    else cursor.connection.close();
  }

  function dropIdle(): void {
    for (const [number, cursor] of cursors) {
      if (performance.now() - cursor.usedAt > idleMilliseconds) drop(number);
    }
  }

  return { open, advance, drop, dropIdle };
}
