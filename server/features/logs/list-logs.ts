import { AppError } from '#shared/errors.ts';
import type { Log, logApi } from '#shared/logs.ts';
import type { Page } from '#shared/paging.ts';
import type { QueryOf } from '#shared/contract.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter, Sort } from '#server/db/collection.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { logFilter, timeFilter } from './log-filter.ts';
import { presentForAdmin, presentForOwner } from './present-log.ts';
import { presentOwn } from './present-own.ts';
import type { TokenScope } from './token-scope.ts';
import { afterCursor, exactTotal, pageResponse, pageBounds, readCursor, writeCursor } from '#server/http/paging.ts';

type LogContext = Pick<AppContext, 'db' | 'now'>;
type Query = Partial<QueryOf<typeof logApi.list>> & TokenScope;

export const newestFirst: Sort<LogRecord> = [
  ['created_at', -1],
  ['id', -1],
];

/** Everybody's rows, with the names of channels and users. */
export async function listLogs(context: LogContext, query: Query): Promise<Page<Log>> {
  const page = await readPage(context, query);
  return { ...page, items: await presentForAdmin(context, page.items) };
}

/** One user's rows, without what concerns administrators only. */
export async function listOwnLogs(context: LogContext, query: Query, userId: number): Promise<Page<Log>> {
  const page = await readPage(context, query, userId);
  return { ...page, items: await presentOwn(context, page.items, query) };
}

/** One row of anybody. @throws {AppError} `not_found` */
export async function readLog(context: AppContext, id: number): Promise<Log> {
  const record = await findRow(context, { id });
  const [row] = record === null ? [] : await presentForAdmin(context, [record]);
  if (row === undefined) throw new AppError('not_found');
  return row;
}

/** Returns a row of the user. @throws {AppError} `log_not_found`, also for a row of another user, and of another token than those of the scope */
export async function readOwnLog(context: AppContext, id: number, userId: number, scope: TokenScope = {}): Promise<Log> {
  const record = await findRow(context, { id, user_id: userId });
  if (record === null || scope.token_ids?.includes(record.token_id) === false) throw new AppError('log_not_found');
  const [row = presentForOwner(record)] = await presentOwn(context, [record], scope);
  return row;
}

/** Rows that exist for the books only are hidden from everyone. */
function findRow({ db }: AppContext, filter: Filter<LogRecord>): Promise<LogRecord | null> {
  return db.collection('logs').first({ and: [filter, { hidden: { exists: false } }] });
}

async function readPage(context: LogContext, query: Query, userId?: number): Promise<Page<LogRecord>> {
  const bounds = pageBounds(query);
  const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor);
  const parts = await logFilter(context, query, userId);
  if (parts === null) return pageResponse([], bounds, 0);
  const logs = context.db.collection('logs');
  const filter: Filter<LogRecord> = { and: [...parts, ...timeFilter(query)] };
  const skip = cursor === undefined ? bounds.skip : 0;
  const [total, rows] = await Promise.all([
    // A client that follows the log polls, and knows the total already.
    query.without_total === true ? bounds.skip : logs.count(filter, exactTotal + 1),
    skip >= exactTotal
      ? []
      : logs.find(cursor === undefined ? filter : { and: [filter, ...afterCursor(cursor)] }, {
          sort: newestFirst,
          skip,
          // One row more than requested shows whether there is a further page.
          limit: bounds.size + 1,
        }),
  ]);
  const items = rows.slice(0, bounds.size);
  const last = items.at(-1);
  const next = rows.length > bounds.size && last !== undefined ? writeCursor({ time: last.created_at, id: last.id }) : undefined;
  return pageResponse(items, bounds, query.without_total === true ? bounds.skip + items.length : total, next);
}
