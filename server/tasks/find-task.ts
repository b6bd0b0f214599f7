import { memberFilter, type ObjectOwner } from '#server/tokens/object-owner.ts';
import type { AppContext } from '#server/context.ts';
import type { TaskRecord } from '#server/db/records/task.ts';

interface Wanted {
  platform: TaskRecord['platform'];
  /** Others' tasks are not found. */
  owner: ObjectOwner;
  upstreamId: string;
}

/** Finds the newest task of that id, which a follow-up task may share. */
export async function findTask({ db }: Pick<AppContext, 'db'>, { platform, owner, upstreamId }: Wanted): Promise<TaskRecord | null> {
  const filter = { upstream_id: upstreamId, user_id: { unindexedEq: owner.userId }, ...memberFilter(owner), platform };
  return db.collection('tasks').first(filter, { sort: [['id', -1]] });
}

/** Each task once, in no order; missing ones are omitted. */
export async function findTasks(
  { db }: Pick<AppContext, 'db'>,
  { platform, owner, upstreamIds }: Omit<Wanted, 'upstreamId'> & { upstreamIds: readonly string[] },
): Promise<TaskRecord[]> {
  if (upstreamIds.length === 0) return [];
  const filter = { upstream_id: { in: upstreamIds }, user_id: { unindexedEq: owner.userId }, ...memberFilter(owner), platform };
  const found = await db.collection('tasks').find(filter, { sort: [['id', 1]], limit: upstreamIds.length * 2 });
  return [...new Map(found.map((task) => [task.upstream_id, task])).values()];
}
