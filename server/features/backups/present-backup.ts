import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Backup, BackupNotice, BackupOverview } from '#shared/backups.ts';
import type { AppContext } from '#server/context.ts';
import type { BackupRecord } from '#server/db/records/backup.ts';
import { backupFolder, s3Where } from '#server/transfer/run-backup.ts';

/** Backups that are listed. */
const shown = 100;
const hourSeconds = 3600;

export async function readOverview(context: AppContext): Promise<BackupOverview> {
  const { db, settings, env, now } = context;
  const records = await db.collection('backups').find({}, { sort: [['id', -1]], limit: shown });
  const at = seconds(now());
  const interval = settings.get('BackupIntervalHours');
  const done = records.find(({ state }) => state === 'done');
  const ended = records.find(({ state, error }) => state !== 'running' && error?.code !== 'stopped');
  const lastScheduled = records.find(({ trigger }) => trigger === 'schedule');
  const place = settings.get('BackupPlace');
  const notice = noticeOf({ at, interval, done, ended });
  return {
    backups: records.map((record) => presentBackup(context, record)),
    ...(notice === undefined ? {} : { notice }),
    ...(done?.ended_at === undefined ? {} : { last_done_at: seconds(done.ended_at) }),
    interval_hours: interval,
    ...(interval === 0 ? {} : { next_at: lastScheduled === undefined ? at : seconds(lastScheduled.started_at) + interval * hourSeconds }),
    keep: settings.get('BackupKeep'),
    place,
    where: place === 's3' ? s3Where(settings.get('BackupS3Bucket'), settings.get('BackupS3Prefix')) : backupFolder(env),
    has_passphrase: settings.get('BackupPassphrase') !== '',
    at,
  };
}

interface Facts {
  at: number;
  interval: number;
  done: BackupRecord | undefined;
  ended: BackupRecord | undefined;
}

function noticeOf({ at, interval, done, ended }: Facts): BackupNotice | undefined {
  if (ended?.state === 'failed') return 'failed';
  if (done?.ended_at === undefined) return 'never';
  return interval > 0 && at - seconds(done.ended_at) > 2 * interval * hourSeconds ? 'old' : undefined;
}

export function presentBackup(context: AppContext, record: BackupRecord): Backup {
  const { id, name, state, trigger, place, where, step, has_key, error } = record;
  return {
    id,
    name,
    state,
    trigger,
    place,
    where,
    started_at: seconds(record.started_at),
    ...(record.ended_at === undefined ? {} : { ended_at: seconds(record.ended_at) }),
    step,
    progress: record.progress,
    progress_all: record.progress_all,
    ...(record.bytes === undefined ? {} : { bytes: record.bytes }),
    ...(record.rows === undefined ? {} : { rows: record.rows }),
    ...(record.sha256 === undefined ? {} : { sha256: record.sha256 }),
    ...(record.is_snapshot === undefined ? {} : { is_snapshot: record.is_snapshot }),
    has_key,
    ...(error === undefined ? {} : { error }),
    can_download: state === 'done' && record.removed_at === undefined && isAtHand(context, record),
    ...(record.removed_at === undefined ? {} : { removed_at: seconds(record.removed_at) }),
  };
}

/** A folder may be that of another server, and the settings may name another bucket since. */
function isAtHand({ settings }: AppContext, { place, where, name }: BackupRecord): boolean {
  if (place === 'folder') return existsSync(path.join(where, name));
  return settings.get('BackupPlace') === 's3' && s3Where(settings.get('BackupS3Bucket'), settings.get('BackupS3Prefix')) === where;
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
