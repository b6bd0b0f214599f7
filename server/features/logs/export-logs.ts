// Rows of the log as a file, newest first, written as they are read: some hundred rows are in memory, whatever the number is.
import type { CallSession } from '#shared/call-sessions.ts';
import type { Log, logApi } from '#shared/logs.ts';
import type { QueryOf } from '#shared/contract.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import { readingFor } from '#server/db/reading-for.ts';
import type { CallSessionRecord } from '#server/db/records/call-session.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { dayIn } from '#server/logs/time-steps.ts';
import type { Download } from '#server/http/call.ts';
import { createExports } from '#server/http/exports.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { afterCursor } from '#server/http/paging.ts';
import { accountName } from '#server/http/fair-reads.ts';
import { sessionCsvHead, sessionCsvLine } from './call-session-lines.ts';
import { afterLast, lastFirst, presentSession, sessionFilter, type SessionQuery } from './list-call-sessions.ts';
import { newestFirst } from './list-logs.ts';
import { logFilter, timeFilter } from './log-filter.ts';
import { csvHead, csvLine, jsonLine } from './log-lines.ts';
import { presentForAdmin } from './present-log.ts';
import { presentOwn } from './present-own.ts';
import type { TokenScope } from './token-scope.ts';
import type { StreamReader } from '#server/http/reader-rights.ts';

type Query = Partial<QueryOf<typeof logApi.exportAll>> & TokenScope;
type SessionExport = SessionQuery & Pick<Query, 'format' | 'time_zone' | 'utc_offset'>;

const pageRows = 500;

export interface LogExports {
  /** @throws {AppError} `exports_running` */
  open(query: Query, reader: StreamReader): Download;
  /** The same of sessions of clients. */
  openSessions(query: SessionExport, reader: StreamReader): Download;
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
  namesMembers: boolean;
  quotaPerUsd: number;
}

export function createLogExports(host: RouteHost): LogExports {
  const { context } = host;
  const openExport = createExports(host);

  async function* parts<Row>(lines: Lines<Row>, { ownId }: StreamReader, query: Query | SessionExport): AsyncGenerator<string> {
    const { format = 'csv', names_members: namesMembers = false } = query;
    const options = { isForAdmins: ownId === undefined, namesMembers, quotaPerUsd: context.settings.get('QuotaPerUnit') };
    if (format === 'csv') yield lines.head(options);
    for await (const rows of lines.pages())
      yield rows.map((row) => (format === 'csv' ? lines.csv(row, options) : lines.json(row))).join('');
  }

  function download<Row>(lines: Lines<Row>, reader: StreamReader, query: Query | SessionExport): Download {
    const { format = 'csv' } = query;
    const day = dayIn(query, Math.floor(context.now() / 1000));
    return openExport(reader, { fileName: `${lines.name}-${day}.${format}`, format, parts: () => parts(lines, reader, query) });
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

async function* sessionPages(context: AppContext, query: SessionExport, { userId, ownId }: StreamReader): AsyncGenerator<CallSession[]> {
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
async function* pages({ db }: AppContext, query: Query, { userId, ownId }: StreamReader): AsyncGenerator<Log[]> {
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
    yield ownId === undefined ? await presentForAdmin({ db }, rows) : await presentOwn({ db }, rows, query);
    if (rows.length < pageRows) return;
    after = afterCursor({ time: last.created_at, id: last.id });
  }
}
