// Lists tasks, newest first, with filters.
import type { TaskPageExtra } from '#shared/drawings.ts';
import type { AppContext } from '#server/context.ts';
import { type Filter, onField, type Sort } from '#server/db/collection.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { afterCursor, exactTotal, pageResponse, pageBounds, readCursor, writeCursor } from '#server/http/paging.ts';

export interface TaskQuery {
  platform: TaskRecord['platform'];
  /** Restricts to the user's tasks. */
  userId?: number;
  p?: number | undefined;
  page_size?: number | undefined;
  cursor?: string | undefined;
  upstreamId?: string | undefined;
  /** For tasks with our own ids. */
  publicId?: string | undefined;
  channelId?: number | undefined;
  action?: string | undefined;
  status?: string | undefined;
  /** Unix seconds, both inclusive; 0 for no limit. */
  start?: number | undefined;
  end?: number | undefined;
}

export interface TaskPage {
  records: TaskRecord[];
  extra: TaskPageExtra;
}

const newestFirst: Sort<TaskRecord> = [
  ['created_at', -1],
  ['id', -1],
];

export async function listTasks({ db }: Pick<AppContext, 'db'>, query: TaskQuery): Promise<TaskPage> {
  // Pages of these lists start at 0.
  const bounds = pageBounds({ p: (query.p ?? 0) + 1, page_size: query.page_size });
  const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor);
  const filter: Filter<TaskRecord> = { and: [...equalsOf(query), ...timesOf(query)] };
  const skip = cursor === undefined ? bounds.skip : 0;
  const tasks = db.collection('tasks');
  const [count, rows] = await Promise.all([
    tasks.count(filter, exactTotal + 1),
    skip >= exactTotal
      ? []
      : tasks.find(cursor === undefined ? filter : { and: [filter, ...afterCursor(cursor)] }, {
          sort: newestFirst,
          skip,
          // One more row shows whether there is a further page.
          limit: bounds.size + 1,
        }),
  ]);
  const records = rows.slice(0, bounds.size);
  const last = records.at(-1);
  const next = rows.length > bounds.size && last !== undefined ? writeCursor({ time: last.created_at, id: last.id }) : undefined;
  const { items: _, page: _page, ...extra } = pageResponse([], bounds, count, next);
  return { records, extra };
}

/** Page of a filter that matches nothing. */
export function emptyTaskPage({ page_size }: Pick<TaskQuery, 'page_size'>): TaskPage {
  return { records: [], extra: { total: 0, page_size: pageBounds({ page_size }).size } };
}

type Field = 'upstream_id' | 'public_id' | 'user_id' | 'channel_id' | 'status' | 'action';

/** The first condition selects the index; the others filter its rows. */
function equalsOf(query: TaskQuery): Filter<TaskRecord>[] {
  const { platform, upstreamId, publicId, userId, channelId, status, action } = query;
  const given: [Field, string | number | undefined][] = [
    ['upstream_id', upstreamId],
    ['public_id', publicId],
    ['user_id', userId],
    ['channel_id', channelId],
    ['status', status],
    ['action', action],
  ];
  const equals = given.flatMap(([field, value]): [Field, string | number][] => (value === undefined ? [] : [[field, value]]));
  return [
    equals.length === 0 ? { listed: platform } : { platform },
    ...equals.map(([field, value], index) => onField<TaskRecord, Field>(field, index === 0 ? value : { unindexedEq: value })),
  ];
}

function timesOf({ start = 0, end = 0 }: TaskQuery): Filter<TaskRecord>[] {
  return [...(start > 0 ? [{ created_at: { gte: start } }] : []), ...(end > 0 ? [{ created_at: { lte: end } }] : [])];
}
