// Streams new rows of the log as events. A stream polls the store, at intervals and only after the client took the last piece; it ends with the
// session, with the server, and after a while, and resumes at the client's cursor.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log, logApi } from '#shared/logs.ts';
import type { QueryOf } from '#shared/contract.ts';
import { readingFor } from '#server/db/reading-for.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { Download } from '#server/http/call.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { readCursor, writeCursor } from '#server/http/paging.ts';
import { accountName } from '#server/http/fair-reads.ts';
import { newestFirst } from './list-logs.ts';
import { logFilter, timeFilter } from './log-filter.ts';
import { presentForAdmin } from './present-log.ts';
import { presentOwn } from './present-own.ts';
import type { TokenScope } from './token-scope.ts';
import { mayStillRead, type StreamReader } from '#server/http/reader-rights.ts';
import { createTailSlots, type TailSlot } from './tail-slots.ts';

type Query = Partial<QueryOf<typeof logApi.tail>> & TokenScope;

const lookMs = 1_500;
/** Rows that are read each time; if there are more, the client reloads the list. */
const newestRows = 100;
/** A row carries the time at which its call began, and is written when it ended. */
const lateSeconds = 600;
/** Rows that began before are not looked at again: a filter that nothing matches would go through the whole log each time. */
const reachSeconds = 3_600;
/** Interval at which the session is checked. */
const checkMs = 10_000;
/** The client reopens a stream of this age at its cursor. */
const longestMs = 600_000;

export interface Tails {
  /** @throws {AppError} `tails_open` */
  open(query: Query, reader: StreamReader & { isAdmin: boolean }): Download;
}

export function createTails(host: RouteHost): Tails {
  const { context } = host;
  const places = createTailSlots();

  async function* write(query: Query, reader: StreamReader, place: TailSlot): AsyncGenerator<string> {
    const { ownId } = reader;
    const over = AbortSignal.any([host.leaving, place.lost]);
    try {
      // Before anything is sent: a wrong one is refused.
      const cursor = cursorOf(reader.facts.headers.get('last-event-id') ?? query.after);
      yield 'retry: 3000\n\n';
      const inTurn = <Result>(work: () => Result) => readingFor(accountName(reader.userId), work);
      const parts = await inTurn(() => logFilter(context, query, ownId));
      if (parts === null) return;
      const reach = () => Math.floor(context.now() / 1000) - reachSeconds;
      let since = Math.min(reach(), cursor === undefined ? Infinity : cursor.time - lateSeconds);
      const look = () => {
        const filter = { and: [...parts, ...timeFilter(query), { created_at: { gte: since } }] };
        return inTurn(() => context.db.collection('logs').find(filter, { sort: newestFirst, limit: newestRows }));
      };
      let known = knownBefore(await look(), cursor);
      const startedAt = performance.now();
      let checkedAt = startedAt;
      while (performance.now() - startedAt < longestMs) {
        const rows = await look();
        const fresh = rows.filter((row) => known.get(row.id) !== signOf(row));
        known = new Map(rows.map((row) => [row.id, signOf(row)]));
        since = Math.max(since, reach());
        // Something each time, so that who has left is noticed.
        yield fresh.length > 0 ? eventOf(await present(fresh, query, ownId), rows[0]) : ':\n\n';
        if (performance.now() - checkedAt > checkMs) {
          checkedAt = performance.now();
          if (!(await mayStillRead(host, reader))) {
            yield 'event: end\ndata: {}\n\n';
            return;
          }
        }
        await sleep(lookMs, undefined, { signal: over }).catch(() => {});
        if (over.aborted) return;
      }
    } finally {
      place.leave();
    }
  }

  function present(rows: readonly LogRecord[], query: Query, ownId: number | undefined): Promise<Log[]> {
    return ownId === undefined ? presentForAdmin(context, rows) : presentOwn(context, rows, query);
  }

  return {
    open(query, reader) {
      const place = places.take({ userId: reader.userId, isAdmin: reader.isAdmin, ip: reader.facts.ip });
      return new Download({ type: 'text/event-stream; charset=utf-8', parts: write(query, reader, place) });
    },
  };
}

type Cursor = ReturnType<typeof readCursor>;

function cursorOf(last: string | undefined): Cursor | undefined {
  return last === undefined || last === '' ? undefined : readCursor(last);
}

/** What of the newest rows the client has: without a word from it all, else those from well before the last one that it saw. */
function knownBefore(rows: readonly LogRecord[], cursor: Cursor | undefined): Map<number, string> {
  const had = rows.filter((row) => cursor === undefined || row.created_at < cursor.time - lateSeconds || row.id === cursor.id);
  return new Map(had.map((row) => [row.id, signOf(row)]));
}

/** Rows of refused calls grow for a minute. */
function signOf({ other }: LogRecord): string {
  const refusal = other?.['refusal'];
  return refusal === undefined ? '' : JSON.stringify(refusal);
}

function eventOf(logs: readonly Log[], newest: LogRecord | undefined): string {
  const id = newest === undefined ? '' : `id: ${writeCursor({ time: newest.created_at, id: newest.id })}\n`;
  return `${id}event: rows\ndata: ${JSON.stringify(logs)}\n\n`;
}
