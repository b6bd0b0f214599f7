// The schedule of backups: starts those that are due, fails interrupted ones, and removes the oldest.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { AppContext } from '#server/context.ts';
import type { BackupRecord } from '#server/db/records/backup.ts';
import { alertOfBackup } from '#server/notify/notifications.ts';
import { isBackupName } from '#server/transfer/backup-format.ts';
import { type BackupRequest, failInterrupted, runBackup, s3Place, s3Where } from '#server/transfer/run-backup.ts';
import { createS3 } from '#server/transfer/s3.ts';

const hourMs = 3_600_000;
/** Records that remain, of backups whose files are gone too. */
const mostRecords = 500;
/** A failed scheduled backup is repeated after this time, or after its interval if that is shorter. */
const retryMs = hourMs;

/** Backups that this process makes, stopped with it. */
const running = new WeakMap<AppContext['db'], { stop: AbortController; ended: Promise<unknown> }>();

/** Starts a backup of this process. @throws {AppError} `backup_running`, `backup_place_incomplete` */
export async function startBackup(context: AppContext, request: Pick<BackupRequest, 'trigger' | 'userId'>): Promise<BackupRecord> {
  const stop = new AbortController();
  const { record, ended } = await runBackup(context, { ...request, signal: stop.signal });
  const work = ended.then(async (result) => {
    running.delete(context.db);
    if (result.state === 'failed' && result.error?.code !== 'stopped') {
      const { code, text } = result.error ?? { code: 'other', text: '' };
      await alertOfBackup(context, { name: result.name, reason: text === '' ? code : text });
    }
    if (result.state === 'done') await removeOld(context);
  });
  work.catch((failure: unknown) => context.log.warn({ reason: String(failure) }, 'old backups could not be removed'));
  running.set(context.db, { stop, ended: work.catch(() => undefined) });
  return record;
}

/** Stops the backup that this process makes. */
export async function stopBackups({ db }: Pick<AppContext, 'db'>): Promise<void> {
  const current = running.get(db);
  current?.stop.abort();
  await current?.ended;
}

export async function tendBackups(context: AppContext): Promise<void> {
  const { db, settings, now } = context;
  await failInterrupted(context);
  const intervalMs = settings.get('BackupIntervalHours') * hourMs;
  if (intervalMs === 0) return;
  const [newest] = await scheduled(db);
  const waitMs = newest?.state === 'failed' ? Math.min(retryMs, intervalMs) : intervalMs;
  // The clock may have been set back.
  if (newest !== undefined && newest.started_at <= now() && now() - newest.started_at < waitMs) return;
  if ((await db.collection('backups').first({ running: 1 })) !== null) return;
  await startBackup(context, { trigger: 'schedule', userId: 0 });
}

/** Newest first. */
async function scheduled(db: AppContext['db']): Promise<BackupRecord[]> {
  const newest = await db.collection('backups').find({}, { sort: [['id', -1]], limit: mostRecords });
  return newest.filter(({ trigger }) => trigger === 'schedule');
}

/** Removes scheduled backups beyond the number in the settings, of each place, and old records. */
export async function removeOld(context: AppContext): Promise<void> {
  const { db, settings, now } = context;
  const backups = db.collection('backups');
  const stored = (await scheduled(db)).filter(({ state, removed_at: removed }) => state === 'done' && removed === undefined);
  const count = new Map<string, number>();
  for (const record of stored) {
    const place = `${record.place} ${record.where}`;
    const position = (count.get(place) ?? 0) + 1;
    count.set(place, position);
    if (position <= settings.get('BackupKeep')) continue;
    // One that cannot be removed does not retain the others.
    const isGone = await isRemoved(context, record).catch((failure: unknown) => {
      context.log.warn({ backup: record.name, reason: String(failure) }, 'an old backup could not be removed');
      return false;
    });
    if (isGone) await backups.patch({ id: record.id }, { set: { removed_at: now() } });
  }
  const [oldest] = await backups.find({}, { sort: [['id', -1]], skip: mostRecords, limit: 1 });
  if (oldest !== undefined) await backups.remove({ id: { lte: oldest.id }, running: { exists: false } });
}

/** Removes the file. One in a place that the settings no longer name stays. */
async function isRemoved(context: AppContext, record: BackupRecord): Promise<boolean> {
  if (!isBackupName(record.name)) return false;
  if (record.place === 'folder') {
    await rm(path.join(record.where, record.name), { force: true });
    return true;
  }
  const place = s3Place(context.settings);
  if (place === undefined || s3Where(place.bucket, place.prefix) !== record.where) return false;
  await createS3(place).remove(record.name);
  return true;
}
