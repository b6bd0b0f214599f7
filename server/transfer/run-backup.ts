// Runs one backup at a time for the whole installation: a record claims it by a unique index, and its process prolongs the
// record until the backup has ended.
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '#shared/errors.ts';
import { silentAt } from '#server/clock/signs-of-life.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import { parseDatabaseUrl } from '#server/db/database-url.ts';
import type { BackupFailure, BackupRecord } from '#server/db/records/backup.ts';
import type { Env } from '#server/env.ts';
import { backupName } from '#server/transfer/backup-format.ts';
import type { BackupMessage, BackupOrder } from '#server/transfer/backup-worker.ts';
import { removeLeftovers } from '#server/transfer/remove-leftovers.ts';
import type { S3Place } from '#server/transfer/s3-client.ts';

export type BackupContext = Pick<AppContext, 'db' | 'env' | 'settings' | 'secrets' | 'log' | 'now' | 'randomText'>;

export interface BackupRequest {
  trigger: BackupRecord['trigger'];
  userId: number;
  /** Folder instead of the place in the settings. */
  folder?: string;
  /** Instead of the passphrase in the settings. */
  passphrase?: string;
  onProgress?: (step: 'rows' | 'upload', done: number, all: number) => void;
  /** Stops the backup. */
  signal?: AbortSignal;
}

export interface RunningBackup {
  record: BackupRecord;
  /** Resolves when it has ended, whatever its result; never rejects. */
  ended: Promise<BackupRecord>;
}

/** Time without a sign of life after which a backup counts as interrupted. */
const aliveMs = 60_000;
const beatMs = 2_000;

/** Default folder of backups. */
export function backupFolder({ BACKUP_DIR, DATABASE_URL }: Pick<Env, 'BACKUP_DIR' | 'DATABASE_URL'>): string {
  if (BACKUP_DIR !== undefined) return path.resolve(BACKUP_DIR);
  const target = parseDatabaseUrl(DATABASE_URL);
  return target.kind === 'embedded' ? path.join(path.dirname(target.file), 'backups') : path.resolve('data/backups');
}

/** Returns the S3 bucket of the settings; undefined if backups are stored in a folder. @throws {AppError} `backup_place_incomplete` */
export function s3Place(settings: AppContext['settings']): S3Place | undefined {
  if (settings.get('BackupPlace') !== 's3') return undefined;
  const place = {
    endpoint: settings.get('BackupS3Endpoint'),
    region: settings.get('BackupS3Region'),
    bucket: settings.get('BackupS3Bucket'),
    prefix: settings.get('BackupS3Prefix'),
    accessKey: settings.get('BackupS3AccessKey'),
    secretKey: settings.get('BackupS3SecretKey'),
  };
  if ([place.endpoint, place.region, place.bucket, place.accessKey, place.secretKey].includes(''))
    throw new AppError('backup_place_incomplete');
  return place;
}

/** Names a bucket and its prefix. */
export function s3Where(bucket: string, prefix: string): string {
  return [bucket, ...prefix.split('/')].filter((part) => part !== '').join('/');
}

/** @throws {AppError} `backup_running`, `backup_place_incomplete` */
export async function runBackup(context: BackupContext, request: BackupRequest): Promise<RunningBackup> {
  const { db, env, settings, now, randomText } = context;
  const s3 = request.folder === undefined ? s3Place(settings) : undefined;
  const folder = request.folder ?? backupFolder(env);
  const passphrase = request.passphrase ?? settings.get('BackupPassphrase');
  const at = now();
  const record: BackupRecord = {
    id: await db.nextId('backups'),
    name: backupName(at, randomText(6)),
    state: 'running',
    running: 1,
    trigger: request.trigger,
    user_id: request.userId,
    place: s3 === undefined ? 'folder' : 's3',
    where: s3 === undefined ? folder : s3Where(s3.bucket, s3.prefix),
    started_at: at,
    alive_until: at + aliveMs,
    step: 'rows',
    progress: 0,
    progress_all: 0,
    has_key: passphrase !== '',
  };
  await claim(context, record);
  await removeLeftovers(context, folder).catch((failure: unknown) => {
    context.log.warn({ reason: String(failure) }, 'what an interrupted backup left behind could not be removed');
  });
  return { record, ended: finish(context, record, { request, folder, s3, passphrase }) };
}

interface Place {
  request: BackupRequest;
  folder: string;
  s3: S3Place | undefined;
  passphrase: string;
}

async function finish(context: BackupContext, record: BackupRecord, { request, folder, s3, passphrase }: Place): Promise<BackupRecord> {
  const { env, secrets, log } = context;
  let result: BackupMessage;
  try {
    const key = passphrase === '' ? {} : { key: await secrets.sealKey(passphrase) };
    const { id, name, started_at: at } = record;
    const order = { url: env.DATABASE_URL, folder, name, at, keyMark: secrets.keyMark, ...key, ...(s3 === undefined ? {} : { s3 }) };
    result = await inThread(context, id, order, request);
  } catch (failure) {
    result = { kind: 'failed', failure: 'other', text: String(failure) };
  }
  try {
    return await end(context, record, result);
  } catch (failure) {
    // It counts as interrupted as soon as its time is over.
    log.warn({ reason: String(failure) }, 'the result of a backup could not be stored');
    return record;
  }
}

/** Resolves with the last message of the thread. */
function inThread(context: BackupContext, id: number, order: BackupOrder, { onProgress, signal }: BackupRequest): Promise<BackupMessage> {
  const { db, now, log } = context;
  return new Promise((resolve) => {
    const worker = new Worker(new URL('./backup-worker.ts', import.meta.url), { workerData: order, execArgv: [] });
    let progress: Extract<BackupMessage, { kind: 'progress' }> | undefined;
    const stop = () => worker.postMessage('stop');
    const beat = async () => {
      const at = progress === undefined ? {} : { step: progress.step, progress: progress.done, progress_all: progress.all };
      const row = await db.collection('backups').patch({ id, running: 1 }, { set: { alive_until: now() + aliveMs, ...at } });
      // Stopped in the console, or taken for interrupted.
      if (row === null || row.is_stopped === true) stop();
    };
    const timer = setInterval(() => {
      beat().catch((failure: unknown) => log.warn({ reason: String(failure) }, 'the progress of a backup could not be stored'));
    }, beatMs);
    const done = (message: BackupMessage) => {
      clearInterval(timer);
      signal?.removeEventListener('abort', stop);
      resolve(message);
    };
    worker.on('message', (message: BackupMessage) => {
      if (message.kind !== 'progress') return done(message);
      progress = message;
      onProgress?.(message.step, message.done, message.all);
    });
    worker.on('error', (failure) =>
      done({ kind: 'failed', failure: 'other', text: failure instanceof Error ? failure.message : String(failure) }),
    );
    worker.on('exit', () => done({ kind: 'failed', failure: 'other', text: 'The thread of the backup has ended' }));
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop);
  });
}

async function end({ db, now, log }: BackupContext, record: BackupRecord, result: BackupMessage): Promise<BackupRecord> {
  const backups = db.collection('backups');
  const ended = { ended_at: now() };
  if (result.kind === 'done') {
    const { bytes, rows, sha256, isSnapshot } = result.made;
    log.info({ backup: record.name, bytes, rows }, 'a backup was made');
    const set = { state: 'done', ...ended, bytes, rows, sha256, is_snapshot: isSnapshot } as const;
    return (await backups.patch({ id: record.id }, { set, unset: ['running', 'error'] })) ?? { ...record, ...set };
  }
  const error = result.kind === 'failed' ? { code: result.failure, text: result.text } : { code: 'other' as const, text: '' };
  log.error({ backup: record.name, reason: error.text }, 'a backup failed');
  const set = { state: 'failed', ...ended, error } as const;
  return (await backups.patch({ id: record.id }, { set, unset: ['running'] })) ?? { ...record, ...set };
}

async function claim(context: BackupContext, record: BackupRecord): Promise<void> {
  try {
    await context.db.collection('backups').insert(record);
  } catch (error) {
    if (!(error instanceof UniqueConflict)) throw error;
    if (!(await failInterrupted(context))) throw new AppError('backup_running');
    return claim(context, record);
  }
}

/** Ends the record of a backup whose process gives no sign of life; returns whether there was one. */
export async function failInterrupted({ db, now }: Pick<BackupContext, 'db' | 'now'>): Promise<boolean> {
  const interrupted: BackupFailure = 'interrupted';
  const set = { state: 'failed', ended_at: now(), error: { code: interrupted, text: '' } } as const;
  return (await db.collection('backups').patch({ running: 1, ...silentAt(now(), aliveMs) }, { set, unset: ['running'] })) !== null;
}
