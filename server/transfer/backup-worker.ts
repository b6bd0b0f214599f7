// Worker thread that makes a backup and uploads it, so that neither delays a call. `run-backup.ts` is its client.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { DatabaseFileError } from '#server/db/embedded-file.ts';
import type { BackupFailure } from '#server/db/records/backup.ts';
import { type MadeBackup, makeBackup, type MakeBackupOptions } from '#server/transfer/make-backup.ts';
import { S3Error, type S3Place } from '#server/transfer/s3-client.ts';
import { createS3 } from '#server/transfer/s3.ts';

export interface BackupOrder extends Omit<MakeBackupOptions, 'onProgress' | 'signal'> {
  /** If set, the backup is uploaded, and its file removed. */
  s3?: S3Place;
}

export type BackupMessage =
  | { kind: 'progress'; step: 'rows' | 'upload'; done: number; all: number }
  | { kind: 'done'; made: MadeBackup }
  | { kind: 'failed'; failure: BackupFailure; text: string };

/** Minimum time between two messages of progress. */
const progressMs = 200;

if (parentPort !== null) await serve(parentPort, workerData);

async function serve(port: NonNullable<typeof parentPort>, order: BackupOrder): Promise<void> {
  const stop = new AbortController();
  port.once('message', () => stop.abort(new Error('Stopped')));
  let reportedAt = 0;
  const report = (step: 'rows' | 'upload', done: number, all: number) => {
    const now = performance.now();
    if (done < all && now - reportedAt < progressMs) return;
    reportedAt = now;
    port.postMessage({ kind: 'progress', step, done, all } satisfies BackupMessage);
  };
  try {
    const made = await makeBackup({ ...order, signal: stop.signal, onProgress: ({ done, all }) => report('rows', done, all) });
    if (order.s3 !== undefined) {
      const file = path.join(order.folder, order.name);
      try {
        await createS3(order.s3).upload(order.name, file, {
          signal: stop.signal,
          onProgress: (done, all) => report('upload', done, all),
        });
      } finally {
        await rm(file, { force: true });
      }
    }
    port.postMessage({ kind: 'done', made } satisfies BackupMessage);
  } catch (failure) {
    const kind = stop.signal.aborted ? 'stopped' : failureOf(failure);
    const text = failure instanceof Error ? failure.message : String(failure);
    port.postMessage({ kind: 'failed', failure: kind, text: text.slice(0, 500) } satisfies BackupMessage);
  }
  port.close();
}

function failureOf(failure: unknown): BackupFailure {
  if (failure instanceof S3Error) return failure.isRefusal ? 's3_refused' : 's3_unreachable';
  if (failure instanceof DatabaseUnavailable || failure instanceof DatabaseFileError) return 'database';
  const code = failure instanceof Error && 'code' in failure ? failure.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'disk_full';
  if (typeof code === 'string' && ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT', 'EEXIST'].includes(code)) return 'folder';
  return 'other';
}
