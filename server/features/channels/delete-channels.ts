import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ChannelStatus } from '#shared/channels.ts';
import { checkRecordIsFree } from '#server/audit-log/managed-records.ts';
import type { AppContext } from '#server/context.ts';
import { type Collection, DatabaseUnavailable, type Filter } from '#server/db/collection.ts';
import type { Write } from '#server/db/database.ts';
import { recordsAtOnce } from '#server/db/edit-records.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { DeletedChannelRecord } from '#server/db/records/deleted-channel.ts';
import { inParallel } from '#server/queues/in-parallel.ts';

const deletedAtOnce = 8;
/** Milliseconds: long before copies of the first ones are swept while the last ones are deleted. */
const stampEvery = 15_000;

/** Returns the ids of those that there were. @throws {AppError} `managed_by_file` before any is deleted */
export function deleteChannels(context: AppContext, ids: readonly number[]): Promise<number[]> {
  return removeWhere(context, { found: { id: { in: [...new Set(ids)] } }, where: {} });
}

/** Those that files manage stay. */
export function deleteDisabled(context: AppContext): Promise<number[]> {
  const disabled: Filter<ChannelRecord> = {
    status: { in: [ChannelStatus.disabledByHand, ChannelStatus.disabledBySystem] },
    managed: { exists: false },
  };
  return removeWhere(context, { found: disabled, where: disabled });
}

/**
 * Deletes channels in batches of a hundred, each only if it is unchanged, so that a channel enabled meanwhile stays. A failed batch is retried one by
 * one. The deleted channels are reported even after a failure, so that the deletion can be undone. @throws the first failure if none was deleted
 */
async function removeWhere(
  context: AppContext,
  filters: { found: Filter<ChannelRecord>; where: Filter<ChannelRecord> },
): Promise<number[]> {
  const found = await context.db.collection('channels').find(filters.found);
  for (const channel of found) checkRecordIsFree('channels', channel, null);
  const gone = new Set<number>();
  const failures: unknown[] = [];
  let stampedAt = context.now();
  for (let start = 0; start < found.length; start += recordsAtOnce) {
    const step = found.slice(start, start + recordsAtOnce);
    await removeStep(context, step, { filter: filters.where, gone, failures });
    if (context.now() - stampedAt > stampEvery) {
      stampedAt = context.now();
      await stamp(context, [...gone]);
    }
    await nextTurn();
  }
  if (gone.size === 0 && failures.length > 0) throw failures[0];
  await stamp(context, [...gone]);
  return found.map(({ id }) => id).filter((id) => gone.has(id));
}

interface Removal {
  /** Condition that a channel must still meet, without its id, which is added for each. */
  filter: Filter<ChannelRecord>;
  /** Ids of what was deleted so far. */
  gone: Set<number>;
  failures: unknown[];
}

async function removeStep(context: AppContext, step: readonly ChannelRecord[], { filter, gone, failures }: Removal): Promise<void> {
  const taken: number[] = [];
  const failed = (message: string, failure: unknown, what: object): void => {
    failures.push(failure);
    context.log.error({ ...what, err: failure }, message);
  };
  const together = step.length === 1 ? [] : await removeTogether(context, step, filter);
  const rest = step.filter((_channel, index) => together[index] !== true);
  for (const { id } of step.filter((_channel, index) => together[index] === true)) taken.push(id);
  await inParallel(rest, deletedAtOnce, async (channel) => {
    try {
      if (await remove(context, channel, filter)) taken.push(channel.id);
    } catch (failure) {
      failed('a channel could not be deleted', failure, { channel_id: channel.id });
    }
  });
  for (const id of taken) gone.add(id);
  await context.changes
    .announceMany('channel', taken)
    .catch((failure: unknown) => failed('deletions of channels could not be announced', failure, { channels: taken.length }));
}

/** Whether each was deleted; none where the database refuses one of them. Copies come first, as in `remove`. */
async function removeTogether(
  { db, now, log }: AppContext,
  step: readonly ChannelRecord[],
  filter: Filter<ChannelRecord>,
): Promise<readonly boolean[]> {
  const deleted_at = now();
  try {
    const copies = step.map((channel): DeletedChannelRecord => ({ id: channel.id, channel, deleted_at }));
    const isNew = await db.write(copies.map((copy): Write => ({ insert: copy, into: 'deleted_channels', ignoreConflict: true })));
    // Copies of earlier deletions that were taken back.
    const old = copies.filter((_copy, index) => isNew[index] !== true);
    await db.writeUnordered(old.map(({ id, ...set }) => ({ of: 'deleted_channels', where: { id }, patch: { set } })));
    const count = await db.writeUnordered(step.map((channel) => ({ from: 'channels', remove: { and: [asCopied(channel), filter] } })));
    if (count === step.length) return step.map(() => true);
    const left = new Set((await db.collection('channels').find({ id: { in: step.map(({ id }) => id) } })).map(({ id }) => id));
    return step.map(({ id }) => !left.has(id));
  } catch (failure) {
    if (failure instanceof DatabaseUnavailable) throw failure;
    log.warn({ channels: step.length, reason: String(failure) }, 'channels could not be deleted together');
    return [];
  }
}

/** The channel, unless it was edited since, or figures of it have moved, which the copy would lack. */
function asCopied({ id, revision, used_quota, balance, balance_updated_time, test_time }: ChannelRecord): Filter<ChannelRecord> {
  return { id, revision, used_quota, balance, balance_updated_time, test_time };
}

/** Starts the minute in which the deletion can be undone when the deletion is reported, however long it took. */
async function stamp({ db, now, log }: AppContext, ids: readonly number[]): Promise<void> {
  const time = now();
  try {
    const copies = db.collection('deleted_channels');
    for (let start = 0; start < ids.length; start += recordsAtOnce) {
      const some = ids.slice(start, start + recordsAtOnce);
      await copies.patchAll({ id: { in: some }, deleted_at: { lt: time } }, { set: { deleted_at: time } });
    }
  } catch (failure) {
    // The channels are deleted and reported as such; the minute counts from each deletion.
    log.error({ channels: ids.length, reason: String(failure) }, 'the time of a deletion could not be noted');
  }
}

/**
 * The copy from which the deletion can be taken back is stored first, so that a crash leaves the channel in one of the two places. A
 * copy of a channel that stays after all is harmless: it is swept.
 */
async function remove({ db, now, log }: AppContext, found: ChannelRecord, filter: Filter<ChannelRecord>): Promise<boolean> {
  const { id } = found;
  const channels = db.collection('channels');
  const copies = db.collection('deleted_channels');
  for (let channel: ChannelRecord | null = found; channel !== null; channel = await channels.first({ and: [{ id }, filter] })) {
    const copy = { channel, deleted_at: now() };
    await copies.patch({ id }, { set: copy }, { insertIfMissing: { id, ...copy } });
    const taken = await channels.take({ and: [{ id, revision: channel.revision }, filter] });
    // The channel was edited meanwhile: the next round copies and deletes the edited version.
    if (taken === null) continue;
    await correctCopy(copies, channel, taken).catch((failure: unknown) => {
      // The channel is deleted and reported as such; its copy lacks the latest figures.
      log.error({ channel_id: id, reason: String(failure) }, 'the figures of a deleted channel could not be corrected');
    });
    return true;
  }
  return false;
}

/** Figures move without a revision. What has been counted onto the copy meanwhile stays. */
async function correctCopy(copies: Collection<DeletedChannelRecord>, copied: ChannelRecord, taken: ChannelRecord): Promise<void> {
  if (isDeepStrictEqual(copied, taken)) return;
  const own: Filter<DeletedChannelRecord> = { id: taken.id, 'channel.revision': taken.revision };
  const isCorrected = await copies.patch({ ...own, 'channel.used_quota': copied.used_quota }, { set: { channel: taken } });
  if (isCorrected !== null) return;
  await copies.patch(own, { increment: { 'channel.used_quota': taken.used_quota - copied.used_quota } });
}
