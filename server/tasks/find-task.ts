import type { AppContext } from '#server/context.ts';
import type { TaskRecord } from '#server/db/records/task.ts';

interface Wanted {
  platform: TaskRecord['platform'];
  /** Other users' tasks are not found. */
  userId: number;
  upstreamId: string;
}

/** Finds the newest task of that id, which a follow-up task may share. */
export async function findTask({ db }: Pick<AppContext, 'db'>, { platform, userId, upstreamId }: Wanted): Promise<TaskRecord | null> {
  const filter = { upstream_id: upstreamId, user_id: { unindexedEq: userId }, platform };
  return db.collection('tasks').first(filter, { sort: [['id', -1]] });
}

/** Each task once, in no order; missing ones are omitted. */
export async function findTasks(
  { db }: Pick<AppContext, 'db'>,
  { platform, userId, upstreamIds }: Omit<Wanted, 'upstreamId'> & { upstreamIds: readonly string[] },
): Promise<TaskRecord[]> {
  if (upstreamIds.length === 0) return [];
  const filter = { upstream_id: { in: upstreamIds }, user_id: { unindexedEq: userId }, platform };
  const found = await db.collection('tasks').find(filter, { sort: [['id', 1]], limit: upstreamIds.length * 2 });
  return [...new Map(found.map((task) => [task.upstream_id, task])).values()];
}
