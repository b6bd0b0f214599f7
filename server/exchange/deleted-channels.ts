// Deleted channels that can still be restored. They are not listed, called or read.
import type { AppContext } from '#server/context.ts';
import type { Database } from '#server/db/database.ts';
import { restorableTimes } from '#server/clock/restorable-times.ts';

/**
 * Reports whether the channel is neither present nor restorable. Checks presence twice, because a deletion and its undo
 * may happen in between.
 */
export async function isGoneForGood(db: Database, id: number): Promise<boolean> {
  const channels = db.collection('channels');
  if ((await channels.get(id)) !== null) return false;
  if ((await db.collection('deleted_channels').get(id)) !== null) return false;
  return (await channels.get(id)) === null;
}

/** Adds used quota to a channel, also while its deletion can be undone. */
export async function addChannelUse(db: Database, id: number, quota: number): Promise<void> {
  if ((await db.collection('channels').patch({ id }, { increment: { used_quota: quota } })) !== null) return;
  await db.collection('deleted_channels').patch({ id }, { increment: { 'channel.used_quota': quota } });
}

/** Deletions that one run ends; the next one follows soon. */
const sweptAtOnce = 1000;

/** Removes expired deletions with the keys of their channels; returns their number. */
export async function sweepDeletedChannels(context: AppContext): Promise<number> {
  const { since, until } = restorableTimes(context);
  const deleted = context.db.collection('deleted_channels');
  const due = { or: [{ deleted_at: { lt: since } }, { deleted_at: { gt: until } }] };
  const ids = (await deleted.find(due, { sort: [['id', 1]], limit: sweptAtOnce })).map(({ id }) => id);
  for (const id of ids) if ((await context.db.collection('channels').get(id)) === null) await removeKeys(context, id);
  return deleted.remove({ and: [{ id: { in: ids } }, due] });
}

/** The channel is gone for good, so nothing uses or restores its keys. */
async function removeKeys({ db }: Pick<AppContext, 'db'>, channelId: number): Promise<void> {
  await db.collection('channel_keys').remove({ channel_id: channelId });
}
