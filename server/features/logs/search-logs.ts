import { foundLogs, type Log, LogType } from '#shared/logs.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { newestFirst } from './list-logs.ts';
import { presentForAdmin } from './present-log.ts';
import { presentOwn } from './present-own.ts';
import type { TokenScope } from './token-scope.ts';

/** The newest rows of the type that the keyword names, or whose content begins with it. Calls have no content of their own. */
export async function searchLogs(
  { db }: Pick<AppContext, 'db'>,
  keyword: string | undefined,
  own?: TokenScope & { id: number },
): Promise<Log[]> {
  const types: readonly number[] = Object.values(LogType);
  const type = keyword !== undefined && /^\d$/.test(keyword) ? types.find((one) => one === Number(keyword)) : undefined;
  const plain = types.filter((one) => one !== LogType.consumption);
  const wanted: Filter<LogRecord>[] = [];
  if (keyword === undefined) wanted.push({});
  else {
    if (type === LogType.consumption) wanted.push({ type });
    else if (type !== undefined) wanted.push({ plain_type: type });
    // Type by type, so that each is found by the index of rows that are no calls.
    wanted.push(...plain.map((plain_type): Filter<LogRecord> => ({ plain_type, content: { startsWith: keyword } })));
  }
  const whose: Filter<LogRecord>[] = own === undefined ? [] : [{ user_id: own.id }];
  const found = await Promise.all(
    wanted.map((filter) =>
      db.collection('logs').find({ and: [filter, ...whose, { hidden: { exists: false } }] }, { sort: newestFirst, limit: foundLogs }),
    ),
  );
  const rows = new Map(found.flat().map((row) => [row.id, row]));
  const newest = [...rows.values()].toSorted((a, b) => b.created_at - a.created_at || b.id - a.id).slice(0, foundLogs);
  return own === undefined ? presentForAdmin({ db }, newest) : presentOwn({ db }, newest, own);
}
