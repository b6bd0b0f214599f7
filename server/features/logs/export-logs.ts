// Rows of the log as a file, newest first, written as they are read: some hundred rows are in memory, whatever the number is.
import { AppError } from '#shared/errors.ts';
import type { CallSession } from '#shared/call-sessions.ts';
import type { Log, LogFormat, logApi } from '#shared/logs.ts';
import type { QueryOf } from '#shared/contract.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import { readingFor } from '#server/db/reading-for.ts';
import type { CallSessionRecord } from '#server/db/records/call-session.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { dayIn } from '#server/logs/time-steps.ts';
import { Download } from '#server/http/call.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { afterCursor } from '#server/http/paging.ts';
import { accountName } from '#server/http/fair-reads.ts';
import { sessionCsvHead, sessionCsvLine } from './call-session-lines.ts';
import { afterLast, lastFirst, presentSession, sessionFilter, type SessionQuery } from './list-call-sessions.ts';
import { newestFirst } from './list-logs.ts';
import { logFilter, timeFilter } from './log-filter.ts';
import { csvHead, csvLine, jsonLine } from './log-lines.ts';
import { presentForAdmin, presentForOwner } from './present-log.ts';
import { type LogReader, mayStillRead } from '#server/http/reader-rights.ts';

type Query = Partial<QueryOf<typeof logApi.exportAll>>;
type SessionExport = SessionQuery & Pick<Query, 'format' | 'time_zone' | 'utc_offset'>;

const pageRows = 500;
/** Of one account at a time; each holds a page. */
const mostExports = 2;

export interface Exports {
  /** @throws {AppError} `exports_running` */
  open(query: Query, reader: LogReader): Download;
  /** The same of sessions of clients. */
  openSessions(query: SessionExport, reader: LogReader): Download;
}

/** What is written: pages of rows, and a row as a line. */
interface Lines<Row> {
  name: string;
  pages(): AsyncIterable<readonly Row[]>;
  head(options: LineOptions): string;
  csv(row: Row, options: LineOptions): string;
  json(row: Row): string;
}

interface LineOptions {
  isForAdmins: boolean;
  quotaPerUsd: number;
}

export function createExports(host: RouteHost): Exports {
  const { context } = host;
  const running = new Map<number, number>();
  const change = (caller: number, by: number) => {
    const count = (running.get(caller) ?? 0) + by;
    if (count > 0) running.set(caller, count);
    else running.delete(caller);
  };

  async function* write<Row>(lines: Lines<Row>, reader: LogReader, format: LogFormat): AsyncGenerator<string> {
    change(reader.userId, 1);
    try {
      const options = { isForAdmins: reader.ownId === undefined, quotaPerUsd: context.settings.get('QuotaPerUnit') };
      if (format === 'csv') yield lines.head(options);
      for await (const rows of lines.pages()) {
        // A file that lacks its end is not taken for a whole one: its connection is cut.
        if (!(await mayStillRead(host, reader))) throw new AppError('not_logged_in');
        yield rows.map((row) => (format === 'csv' ? lines.csv(row, options) : lines.json(row))).join('');
      }
    } finally {
      change(reader.userId, -1);
    }
  }

  function download<Row>(lines: Lines<Row>, reader: LogReader, query: Query | SessionExport): Download {
    if ((running.get(reader.userId) ?? 0) >= mostExports) throw new AppError('exports_running', {}, { retryAfter: 5 });
    const { format = 'csv' } = query;
    const day = dayIn(query, Math.floor(context.now() / 1000));
    return new Download({
      type: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
      fileName: `${lines.name}-${day}.${format}`,
      parts: write(lines, reader, format),
    });
  }

  return {
    open: (query, reader) =>
      download(
        { name: 'usage-logs', pages: () => pages(context, query, reader), head: csvHead, csv: csvLine, json: jsonLine },
        reader,
        query,
      ),
    openSessions: (query, reader) =>
      download(
        {
          name: 'sessions',
          pages: () => sessionPages(context, query, reader),
          head: sessionCsvHead,
          csv: sessionCsvLine,
          json: (session) => `${JSON.stringify(session)}\n`,
        },
        reader,
        query,
      ),
  };
}

async function* sessionPages(context: AppContext, query: SessionExport, { userId, ownId }: LogReader): AsyncGenerator<CallSession[]> {
  const inTurn = <Result>(work: () => Result) => readingFor(accountName(userId), work);
  const parts = await inTurn(() => sessionFilter(context, query, ownId));
  if (parts === null) return;
  await context.ledger.sessionSettled();
  let after: Filter<CallSessionRecord>[] = [];
  for (;;) {
    const following: Filter<CallSessionRecord> = { and: [...parts, ...after] };
    const rows = await inTurn(() => context.db.collection('call_sessions').find(following, { sort: lastFirst, limit: pageRows }));
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(presentSession);
    if (rows.length < pageRows) return;
    after = afterLast(last);
  }
}

/** What is written meanwhile is newer than what is read, and left out. */
async function* pages({ db }: AppContext, query: Query, { userId, ownId }: LogReader): AsyncGenerator<Log[]> {
  const inTurn = <Result>(work: () => Result) => readingFor(accountName(userId), work);
  const parts = await inTurn(() => logFilter({ db }, query, ownId));
  if (parts === null) return;
  const filter: Filter<LogRecord>[] = [...parts, ...timeFilter(query)];
  let after: Filter<LogRecord>[] = [];
  for (;;) {
    const following: Filter<LogRecord> = { and: [...filter, ...after] };
    const rows = await inTurn(() => db.collection('logs').find(following, { sort: newestFirst, limit: pageRows }));
    const last = rows.at(-1);
    if (last === undefined) return;
    yield ownId === undefined ? await presentForAdmin({ db }, rows) : rows.map(presentForOwner);
    if (rows.length < pageRows) return;
    after = afterCursor({ time: last.created_at, id: last.id });
  }
}
