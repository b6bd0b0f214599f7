// Deleted channels, for as long as their deletion can be taken back. Nothing else of a channel is asked here: none of them is
// listed, called or read.
import type { AppContext } from '#server/context.ts';
import type { Database } from '#server/db/database.ts';
import { restorableTimes } from '#server/clock/restorable-times.ts';

/** Whether it is neither there nor can come back. A deletion and its undo may pass in between: what is there is asked again. */
export async function isGoneForGood(db: Database, id: number): Promise<boolean> {
  const channels = db.collection('channels');
  if ((await channels.get(id)) !== null) return false;
  if ((await db.collection('deleted_channels').get(id)) !== null) return false;
  return (await channels.get(id)) === null;
}

/** What a channel has used is counted on while its deletion can be taken back. */
export async function addChannelUse(db: Database, id: number, quota: number): Promise<void> {
  if ((await db.collection('channels').patch({ id }, { increment: { used_quota: quota } })) !== null) return;
  await db.collection('deleted_channels').patch({ id }, { increment: { 'channel.used_quota': quota } });
}

/** Answers how many deletions became final. */
export async function sweepDeletedChannels(context: AppContext): Promise<number> {
  const { since, until } = restorableTimes(context);
  return context.db.collection('deleted_channels').remove({ or: [{ deleted_at: { lt: since } }, { deleted_at: { gt: until } }] });
}
