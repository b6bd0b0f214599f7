// Rows of the log as a file, newest first, written as they are read: some hundred rows are in memory, whatever the number is.
import { AppError } from '#shared/errors.ts';
import type { Log, LogFormat, logApi } from '#shared/logs.ts';
import type { QueryOf } from '#shared/contract.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import { readingFor } from '#server/db/reading-for.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { Download } from '#server/http/call.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { afterCursor } from '#server/http/paging.ts';
import { accountName } from '#server/http/read-in-turn.ts';
import { newestFirst } from './list-logs.ts';
import { logFilter, timeFilter } from './log-filter.ts';
import { csvHead, csvLine, jsonLine } from './log-lines.ts';
import { presentForAdmin, presentForOwner } from './present-log.ts';
import { mayStillRead } from './reader-rights.ts';
import type { LogReader } from './reader-rights.ts';

type Query = Partial<QueryOf<typeof logApi.exportAll>>;

const pageRows = 500;
/** Of one account at a time; each holds a page. */
const mostExports = 2;

export interface Exports {
  /** @throws {AppError} `exports_running` */
  open(query: Query, reader: LogReader): Download;
}

export function createExports(host: RouteHost): Exports {
  const { context } = host;
  const running = new Map<number, number>();
  const change = (caller: number, by: number) => {
    const count = (running.get(caller) ?? 0) + by;
    if (count > 0) running.set(caller, count);
    else running.delete(caller);
  };

  async function* write(query: Query, reader: LogReader, format: LogFormat): AsyncGenerator<string> {
    change(reader.userId, 1);
    try {
      const lines = { isForAdmins: reader.ownId === undefined, quotaPerUsd: context.settings.get('QuotaPerUnit') };
      if (format === 'csv') yield csvHead(lines);
      for await (const logs of pages(context, query, reader)) {
        // A file that lacks its end is not taken for a whole one: its connection is cut.
        if (!(await mayStillRead(host, reader))) throw new AppError('not_logged_in');
        yield logs.map((log) => (format === 'csv' ? csvLine(log, lines) : jsonLine(log))).join('');
      }
    } finally {
      change(reader.userId, -1);
    }
  }

  return {
    open(query, reader) {
      if ((running.get(reader.userId) ?? 0) >= mostExports) throw new AppError('exports_running', {}, { retryAfter: 5 });
      const format = query.format ?? 'csv';
      const day = new Date(context.now()).toISOString().slice(0, 10);
      return new Download({
        type: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
        fileName: `usage-logs-${day}.${format}`,
        parts: write(query, reader, format),
      });
    },
  };
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
