import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { Download } from '#server/http/call.ts';
import { isBackupName } from '#server/transfer/backup-format.ts';
import { s3Place, s3Where } from '#server/transfer/run-backup.ts';
import { S3Error } from '#server/transfer/s3-client.ts';
import { createS3 } from '#server/transfer/s3.ts';

/** Streams a backup from its place. Paths come from the record alone, never from the request. */
export async function openBackupFile({ db, settings }: AppContext, id: number): Promise<Download> {
  const record = await db.collection('backups').get(id);
  if (record === null) throw new AppError('not_found');
  const { name, place, where, bytes, state, removed_at: removed } = record;
  if (state !== 'done' || removed !== undefined || bytes === undefined || !isBackupName(name)) throw new AppError('backup_gone');
  const file = { type: 'application/octet-stream', fileName: name, bytes };
  if (place === 'folder') {
    const found = path.join(where, name);
    if ((await stat(found).catch(() => null))?.size !== bytes) throw new AppError('backup_gone');
    return new Download({ ...file, parts: partsOf(createReadStream(found)) });
  }
  const bucket = s3Place(settings);
  if (bucket === undefined || s3Where(bucket.bucket, bucket.prefix) !== where) throw new AppError('backup_gone');
  const content = await createS3(bucket)
    .download(name)
    .catch((cause: unknown) => {
      if (cause instanceof S3Error) throw new AppError('backup_gone', {}, { cause });
      throw cause;
    });
  return new Download({ ...file, parts: partsOf(content) });
}

async function* partsOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* content;
}
