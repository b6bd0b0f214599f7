// Finds videos of a user that a provider has accepted and that are not deleted.
import { memberFilter, type ObjectOwner, ofOwner } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { pageQuery } from '#server/db/record-page.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import type { ItemsPage } from '#server/objects/list-items.ts';

/** @throws {AppError} `video_not_found`, also for other users' videos */
export async function findVideo({ db }: Pick<AppContext, 'db'>, owner: ObjectOwner, id: string): Promise<TaskRecord> {
  const found = await db.collection('tasks').first({ public_id: id, user_id: { unindexedEq: owner.userId }, ...memberFilter(owner) });
  if (found === null || found.deleted_at !== undefined) throw new AppError('video_not_found', { id });
  return found;
}

/**
 * One more than the page size if there are more.
 * @throws {AppError} `video_not_found` for an unknown `after`
 */
export async function listVideos(context: Pick<AppContext, 'db'>, owner: ObjectOwner, page: ItemsPage): Promise<TaskRecord[]> {
  // Accepted tasks have a channel.
  const own = { ...ofOwner(owner), platform: 'video' as const, channel_id: { ne: 0 }, deleted_at: { exists: false } };
  const after = page.after === undefined ? undefined : await findVideo(context, owner, page.after);
  const { where, options } = pageQuery({ ...page, after });
  return context.db.collection('tasks').find({ and: [own, ...where] }, options);
}
