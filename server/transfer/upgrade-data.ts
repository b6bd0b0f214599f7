// Upgrades the stored data of an older version, after a backup of it: the restore of that backup by the older program is
// the way back.
import type { Database } from '#server/db/database.ts';
import { newestVersion, readSchemaVersion, storeSchemaVersion, type Upgrade, upgrades } from '#server/db/schema-version.ts';
import type { Env } from '#server/env.ts';
import { keyMark } from '#server/secrets/key-mark.ts';
import { createRandomText } from '#server/secrets/random-text.ts';
import { backupName } from '#server/transfer/backup-format.ts';
import { makeBackup } from '#server/transfer/make-backup.ts';
import { TransferRefusal } from '#server/transfer/refusal.ts';
import { backupFolder } from '#server/transfer/run-backup.ts';
import { findRunningServer } from '#server/transfer/running-servers.ts';

export interface UpgradeOptions {
  db: Database;
  env: Pick<Env, 'DATABASE_URL' | 'BACKUP_DIR'>;
  masterKey: string;
  /** Reports each step to the operator, one line each. */
  report(line: string): void;
  now?: () => number;
  known?: readonly Upgrade[];
}

/**
 * Brings the stored data to the version of this program; returns the file of the backup, null if nothing was to be done.
 * @throws {NewerSchemaError}
 * @throws {TransferRefusal} if servers of the older version run, or the backup cannot be made: nothing was changed
 */
export async function upgradeData({
  db,
  env,
  masterKey,
  report,
  now = Date.now,
  known = upgrades,
}: UpgradeOptions): Promise<string | null> {
  const version = await readSchemaVersion(db, known);
  const due = known.filter(({ to }) => to > version);
  if (due.length === 0) return null;
  const processes = db.collection('processes');
  const server = await findRunningServer(() => processes.find({ state: { in: ['alive', 'recovering'] } }));
  if (server !== null) {
    const [name] = server.host.split('/');
    throw new TransferRefusal(
      `The stored data must be upgraded, and a server of an older version uses it (process ${server.pid} on ${name}): stop it first`,
    );
  }
  const folder = backupFolder(env);
  const at = now();
  const name = backupName(at, createRandomText()(6));
  report(`The stored data is upgraded from version ${version} to ${newestVersion(known)}; a backup is written to ${folder}/${name} first`);
  try {
    const made = await makeBackup({
      url: env.DATABASE_URL,
      folder,
      name,
      keyMark: keyMark(masterKey),
      schema: version,
      at,
      onProgress: () => {},
    });
    const file = { place: 'folder', where: folder, bytes: made.bytes, rows: made.rows, sha256: made.sha256 } as const;
    const times = { started_at: at, ended_at: now(), alive_until: at };
    const progress = { step: 'rows', progress: made.rows, progress_all: made.rows } as const;
    const id = await db.nextId('backups');
    await db
      .collection('backups')
      .insert({ id, name, state: 'done', trigger: 'upgrade', user_id: 0, has_key: false, ...file, ...times, ...progress });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TransferRefusal(`The stored data was not upgraded, because its backup failed (${reason}); BACKUP_DIR names another folder`, {
      cause,
    });
  }
  for (const { to, changes, run } of due) {
    report(`Version ${to}: ${changes}`);
    await run(db);
    await storeSchemaVersion(db, to);
  }
  report(`The stored data is upgraded. To go back, start the older version after: npm run restore -- ${folder}/${name}`);
  return `${folder}/${name}`;
}
