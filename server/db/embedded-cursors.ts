// Cursors of a worker thread, which read queries in pieces. Each has its own connection: an open statement holds its
// connection's snapshot, so other reads there would miss later commits.
import type { DatabaseSync } from 'node:sqlite';
import type { Parameter } from '#server/db/embedded-sql.ts';

type Row = Record<string, unknown>;

/**
 * Idle time after which a cursor is closed, because it prevents truncating the write-ahead log; its reader opens
 * another.
 */
const idleMilliseconds = 1_000;
/** Maximum number of cursors; beyond it the one idle longest is closed, and its reader opens another. */
const mostCursors = 32;
/** Idle connections retained for reuse. */
const spareConnections = 2;

interface Cursor {
  connection: DatabaseSync;
  rows: Iterator<Row>;
  usedAt: number;
}

export interface Cursors {
  open(number: number, sql: string, parameters: readonly Parameter[]): void;
  /** Returns the next rows; undefined if the cursor was closed. */
  advance(number: number, count: number): Row[] | undefined;
  drop(number: number): void;
  /** Closes idle cursors. */
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
