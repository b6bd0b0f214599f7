// Makes one backup of a database while servers use it.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseDatabaseUrl } from '#server/db/database-url.ts';
import type { Database } from '#server/db/database.ts';
import { openDatabase } from '#server/db/open.ts';
import { openSource } from '#server/db/rows/open-rows.ts';
import { holdClosings, openBatch } from '#server/money/log-closing.ts';
import { newestVersion } from '#server/db/schema-version.ts';
import type { SealedKey } from '#server/secrets/sealed-key.ts';
import { formatVersion } from '#server/transfer/backup-format.ts';
import type { OnProgress } from '#server/transfer/progress.ts';
import { writeBackup, type WrittenBackup } from '#server/transfer/write-backup.ts';
import packageJson from '../../package.json' with { type: 'json' };

export interface MakeBackupOptions {
  /** As DATABASE_URL. */
  url: string;
  folder: string;
  /** See `backupName`. */
  name: string;
  /** See `Secrets`. */
  keyMark: string;
  /** The master key, sealed by a passphrase; without it the key is not in the backup. */
  key?: SealedKey | undefined;
  /** Version of the stored data; the newest one by default. */
  schema?: number;
  /** Milliseconds since the epoch. */
  at: number;
  onProgress: OnProgress;
  signal?: AbortSignal;
}

export interface MadeBackup extends WrittenBackup {
  isSnapshot: boolean;
}

export async function makeBackup({ url, key, keyMark, at, schema = newestVersion(), ...options }: MakeBackupOptions): Promise<MadeBackup> {
  const header = {
    tidegate_backup: formatVersion,
    made_at: new Date(at).toISOString(),
    program: packageJson.version,
    schema,
    key_mark: keyMark,
    ...(key === undefined ? {} : { key }),
  };
  const isEmbedded = parseDatabaseUrl(url).kind === 'embedded';
  for (let wantsSnapshot = true; ; wantsSnapshot = false) {
    const source = await openSource(url, { wantsSnapshot });
    try {
      if (source.isSnapshot) return { ...(await writeBackup({ source, header, ...options })), isSnapshot: true };
      return await withoutDeletions(url, async () => ({ ...(await writeBackup({ source, header, ...options })), isSnapshot: false }));
    } catch (error) {
      // The server stores past states for some minutes only: the copy is repeated without a snapshot.
      const isTooOld = !isEmbedded && error instanceof Error && error.name === 'SnapshotTooOld';
      if (!wantsSnapshot || !isTooOld) throw error;
    } finally {
      await source.close();
    }
  }
}

const holdEveryMs = 20_000;
const batchPatienceMs = 30_000;
const pollMs = 50;

/** Log rows that are deleted during the copy would be missing in the log, and in the closing entries of the ledger. */
async function withoutDeletions<Result>(url: string, work: () => Promise<Result>): Promise<Result> {
  const db = await openDatabase(url, { hasSchema: true });
  try {
    let release = await holdClosings(db, Date.now());
    const timer = setInterval(() => {
      holdClosings(db, Date.now()).then(
        (newer) => (release = newer),
        () => undefined,
      );
    }, holdEveryMs);
    try {
      await batchEnd(db);
      return await work();
    } finally {
      clearInterval(timer);
      await release();
    }
  } finally {
    await db.close();
  }
}

/** A batch that has begun is finished in spite of the hold. One whose process died is finished by the restore. */
async function batchEnd(db: Database): Promise<void> {
  const deadline = performance.now() + batchPatienceMs;
  while ((await openBatch(db)) !== null && performance.now() < deadline) await sleep(pollMs);
}
