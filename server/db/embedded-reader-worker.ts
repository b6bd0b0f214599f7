// Worker thread with a read-only connection, so that long reads do not block the event loop. `embedded-reader.ts` is
// its client.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { createCursors } from '#server/db/embedded-cursors.ts';
import type { Parameter } from '#server/db/embedded-sql.ts';

type Row = Record<string, unknown>;

export type ReaderRequest =
  /** Runs a query and returns its first rows; the others are stored under its number. */
  | { number: number; kind: 'all'; sql: string; parameters: Parameter[]; count: number }
  | { number: number; kind: 'rest'; cursor: number; count: number }
  /** Opens a cursor. */
  | { number: number; kind: 'open'; cursor: number; sql: string; parameters: Parameter[]; count: number }
  | { number: number; kind: 'next'; cursor: number; count: number }
  | { number: number; kind: 'drop'; cursor: number };

/** `rows` is undefined if the cursor was closed. */
export type ReaderReply = { number: number; rows?: Row[] } | { number: number; failure: unknown };

/** Time after which unclaimed rows are dropped. */
const restMilliseconds = 30_000;
const sweepMilliseconds = 500;

if (parentPort !== null) serve(parentPort, () => new DatabaseSync(String(workerData), { readOnly: true, timeout: 5_000 }));

function serve(port: NonNullable<typeof parentPort>, connect: () => DatabaseSync): void {
  const connection = connect();
  const cursors = createCursors(connect);
  const rests = new Map<number, { rows: Row[]; at: number; usedAt: number }>();

  setInterval(() => {
    cursors.dropIdle();
    for (const [number, rest] of rests) if (performance.now() - rest.usedAt > restMilliseconds) rests.delete(number);
  }, sweepMilliseconds).unref();

  port.on('message', (request: ReaderRequest) => {
    let reply: ReaderReply;
    try {
      reply = { number: request.number, rows: answer(request) };
    } catch (error) {
      // Structured clone preserves only the message of a node:sqlite error; the code is added.
      reply = { number: request.number, failure: error instanceof Error ? { ...error, message: error.message } : error };
    }
    port.postMessage(reply);
  });

  function answer(request: ReaderRequest): Row[] | undefined {
    switch (request.kind) {
      case 'all': {
        const rows = connection.prepare(request.sql).all(...request.parameters);
        if (rows.length < request.count) return rows;
        rests.set(request.number, { rows, at: 0, usedAt: 0 });
        return nextOf(request.number, request.count);
      }
      case 'rest':
        return nextOf(request.cursor, request.count);
      case 'open':
        cursors.open(request.cursor, request.sql, request.parameters);
        return cursors.advance(request.cursor, request.count);
      case 'next':
        return cursors.advance(request.cursor, request.count);
      case 'drop':
        cursors.drop(request.cursor);
        return [];
    }
  }

  function nextOf(number: number, count: number): Row[] | undefined {
    const rest = rests.get(number);
    if (rest === undefined) return undefined;
    const rows = rest.rows.slice(rest.at, rest.at + count);
    rest.at += count;
    rest.usedAt = performance.now();
    if (rows.length < count) rests.delete(number);
    return rows;
  }
}
