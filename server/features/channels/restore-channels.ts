import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { inParallel } from '#server/queues/in-parallel.ts';
import { restorableTimes } from '#server/clock/restorable-times.ts';

const restoredAtOnce = 8;

/**
 * Takes back deletions just made; returns how many channels are there again, as they were.
 * @throws {AppError} `channel_restore_late` when it is none
 */
export async function restoreChannels(context: AppContext, ids: readonly number[]): Promise<number> {
  const copies = context.db.collection('deleted_channels');
  const { since, until } = restorableTimes(context);
  let count = 0;
  await inParallel([...new Set(ids)], restoredAtOnce, async (id) => {
    const copy = await copies.first({ id, deleted_at: { gte: since, lte: until } });
    if (copy === null || !(await putBack(context, copy.channel))) return;
    count += 1;
    await context.changes.announce('channel', id);
    // Last, so that a crash leaves the channel in one of the two places.
    await copies.remove({ id, deleted_at: { lte: copy.deleted_at } });
  });
  if (count === 0) throw new AppError('channel_restore_late');
  return count;
}

/** False: it is there already. Of two that do this at once one does it. */
async function putBack({ db }: AppContext, channel: ChannelRecord): Promise<boolean> {
  try {
    await db.collection('channels').insert({ ...channel, revision: channel.revision + 1 });
    return true;
  } catch (error) {
    if (error instanceof UniqueConflict) return false;
    throw error;
  }
}
