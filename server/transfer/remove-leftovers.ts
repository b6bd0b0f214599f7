// Removes files that backups left behind whose process was killed: unfinished ones, and those that were to be uploaded.
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Database } from '#server/db/database.ts';
import { isBackupName } from '#server/transfer/backup-format.ts';

const suffix = '.partial';
/** A backup writes all the time. One without a record here belongs to another installation with the same folder, or to an upgrade. */
const forgottenMs = 24 * 3_600_000;
/** Newest records that are compared. */
const mostRecords = 500;

export async function removeLeftovers({ db, now }: { db: Database; now(): number }, folder: string): Promise<void> {
  const records = await db.collection('backups').find({}, { sort: [['id', -1]], limit: mostRecords });
  const known = new Map(records.map((record) => [record.name, record]));
  for (const file of await readdir(folder).catch(() => [])) {
    const isPartial = file.endsWith(suffix);
    const name = isPartial ? file.slice(0, -suffix.length) : file;
    if (!isBackupName(name)) continue;
    const record = known.get(name);
    const place = path.join(folder, file);
    const isLeft =
      record === undefined
        ? isPartial && now() - ((await stat(place).catch(() => null))?.mtimeMs ?? now()) > forgottenMs
        : record.running === undefined && (isPartial || (record.place === 's3' && record.state === 'failed'));
    if (isLeft) await rm(place, { force: true });
  }
}
