import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { Write } from '#server/db/database.ts';
import { recordsAtOnce } from '#server/db/edit-records.ts';
import { restorableTimes } from '#server/clock/restorable-times.ts';

/**
 * Takes back deletions just made; returns how many channels are there again, as they were.
 * @throws {AppError} `channel_restore_late` when it is none
 */
export async function restoreChannels(context: AppContext, ids: readonly number[]): Promise<number> {
  const wanted = [...new Set(ids)];
  let count = 0;
  for (let start = 0; start < wanted.length; start += recordsAtOnce) {
    count += await restoreStep(context, wanted.slice(start, start + recordsAtOnce));
    await nextTurn();
  }
  if (count === 0) throw new AppError('channel_restore_late');
  return count;
}

async function restoreStep(context: AppContext, ids: readonly number[]): Promise<number> {
  const { db, changes } = context;
  const { since, until } = restorableTimes(context);
  const copies = await db.collection('deleted_channels').find({ id: { in: ids }, deleted_at: { gte: since, lte: until } });
  // What is there already is left alone. Of two that do this at once one does it.
  const isBack = await db.write(
    // A file that had it deleted it.
    copies.map(({ channel: { managed: _mark, ...channel } }): Write => {
      return { insert: { ...channel, revision: channel.revision + 1 }, into: 'channels', ignoreConflict: true };
    }),
  );
  const back = copies.filter((_copy, index) => isBack[index]);
  await changes.announceMany(
    'channel',
    back.map(({ id }) => id),
  );
  // Last, so that a crash leaves each channel in one of the two places.
  await db.writeUnordered(
    back.map(({ id, deleted_at }) => ({ from: 'deleted_channels', remove: { id, deleted_at: { lte: deleted_at } } })),
  );
  return back.length;
}
