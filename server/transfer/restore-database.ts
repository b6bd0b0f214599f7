// Restores a backup: reads it to its end, fills a database next to the current one, audits its books, and only then
// replaces the current one, which is retained under another name.
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { DatabaseFileError } from '#server/db/embedded-file.ts';
import { type DatabaseUrl, parseDatabaseUrl } from '#server/db/database-url.ts';
import type { Database } from '#server/db/database.ts';
import { openReplacement } from '#server/db/rows/open-rows.ts';
import type { Replacement } from '#server/db/rows/replacement.ts';
import type { CopyState } from '#server/db/rows/rows.ts';
import { newestVersion } from '#server/db/schema-version.ts';
import type { AuditReport } from '#server/money/audit.ts';
import { rebuildBalances } from '#server/money/rebuild-balances.ts';
import { thisHost } from '#server/money/recovery/server-process.ts';
import { keyMark } from '#server/secrets/key-mark.ts';
import { keyFileOf } from '#server/secrets/master-key.ts';
import { openSealedKey } from '#server/secrets/sealed-key.ts';
import { settleAndAudit } from '#server/transfer/audit-books.ts';
import type { BackupHeader } from '#server/transfer/backup-format.ts';
import { copyRows, isCollection } from '#server/transfer/copy-rows.ts';
import type { OnProgress } from '#server/transfer/progress.ts';
import { checkBackup, type CheckedBackup, openBackup, readHeader } from '#server/transfer/read-backup.ts';
import { InterruptedReplacement, TransferRefusal } from '#server/transfer/refusal.ts';
import { isWriting, refuseRunningServers } from '#server/transfer/running-servers.ts';

export interface RestoreOptions {
  file: string;
  /** As DATABASE_URL. */
  to: string;
  /** SESSION_SECRET, which is the master key if it is set. */
  sessionSecret?: string | undefined;
  /** Opens the master key in the backup. */
  passphrase?: string | undefined;
  /** Verifies the backup and its key, and changes nothing. */
  isCheck?: boolean;
  now?: () => number;
  onProgress?: OnProgress;
}

export interface RestoreResult {
  header: BackupHeader;
  /** Records of collections that this version does not have: those of a newer one are lost by the restore. */
  skipped: { name: string; rows: number }[];
  /** Undefined for a check, and for the completion of an interrupted replacement. */
  audit?: AuditReport;
  /** Accounts whose balance was computed from the books. */
  rebuilt?: number;
  /** Name of the replaced database. */
  replaced?: string | null;
  /** Key file that was written, and the replaced one. */
  keyFile?: { file: string; replaced: string | null };
}

/**
 * @throws {TransferRefusal}
 * @throws {InterruptedReplacement}
 * @throws {BackupFileError}
 * @throws {WrongPassphrase}
 */
export async function restoreDatabase(options: RestoreOptions): Promise<RestoreResult> {
  const { file, to, isCheck = false, now = Date.now, onProgress = () => {} } = options;
  const { header } = await readHeader(file);
  if (header.schema > newestVersion())
    throw new TransferRefusal(
      `The backup is of a newer version of Tidegate (${header.program}, data version ${header.schema}; known is ${newestVersion()})`,
    );
  const key = await findKey(header, options);
  const { rows } = await checkBackup(file, onProgress);
  const skipped = Array.from(rows, ([name, count]) => ({ name, rows: count })).filter(({ name }) => !isCollection(name));
  if (isCheck) return { header, skipped };
  await refuseServersOn(to);
  const replacement = await openReplacement(to, writer);
  const other = await replacement.state();
  if (other !== null && isWriting(other, now()))
    throw new TransferRefusal(`Another restore into the database is running (process ${other.writer.pid})`);
  // Of a restore that was killed while it replaced the database: it is whole, and replaced by this one.
  await replacement.complete();
  try {
    const { audit, rebuilt } = await fill(replacement, { file, header, rows, now, onProgress });
    if (audit.findings.length > 0) return { header, skipped, audit, rebuilt };
    await refuseServersOn(to);
    return { header, skipped, audit, rebuilt, ...(await replace(replacement, key, now)) };
  } catch (error) {
    if (!(error instanceof InterruptedReplacement)) await discardOwn(replacement).catch(() => undefined);
    throw error;
  }
}

/** What another restore fills by now stays. */
async function discardOwn(replacement: Replacement): Promise<void> {
  const state = await replacement.state();
  if (state === null || (state.writer.host === writer.host && state.writer.pid === writer.pid)) await replacement.discard();
}

const writer = { host: thisHost, pid: process.pid };

async function replace(replacement: Replacement, key: Key, now: () => number): Promise<Pick<RestoreResult, 'replaced' | 'keyFile'>> {
  const later = await replacement.state();
  if (later !== null)
    throw new InterruptedReplacement(`Another restore has begun (process ${later.writer.pid}). Nothing was replaced by this one`);
  const stamp = `${new Date(now()).toISOString().replaceAll(/\D/g, '').slice(0, 14)}${randomBytes(2).toString('hex')}`;
  const keyFile = key.write === null ? undefined : await writeKeyFile(key.write, key.text, stamp);
  try {
    const replaced = await replacement.replace(stamp);
    return { replaced, ...(keyFile === undefined ? {} : { keyFile }) };
  } catch (cause) {
    if (keyFile !== undefined) await putKeyBack(keyFile);
    if (!replacement.isResumable) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InterruptedReplacement(`The replacement has stopped halfway (${reason}): run the restore again, which completes it`, {
      cause,
    });
  }
}

async function fill(
  replacement: Replacement,
  { file, header, rows, now, onProgress }: CheckedBackup & { file: string; now: () => number; onProgress: OnProgress },
): Promise<{ audit: AuditReport; rebuilt: number }> {
  const target = await replacement.fill();
  const source = await openBackup(file);
  try {
    const state: CopyState = { kind: 'restore', source: header.made_at, writer, written_at: now(), done: [] };
    await target.saveState(state);
    await copyRows({ source, target, state, names: source.names, now, onProgress });
    await target.finish(await source.counters(), (done, all) => onProgress({ step: 'Building indexes', done, all }));
    await target.release();
  } finally {
    await source.close();
    await target.close();
  }
  const db = await replacement.open();
  try {
    await countRows(db, rows);
    return await settle(db, header, now);
  } finally {
    await db.close();
  }
}

/** Two restores at once could lose rows to each other without an error. */
async function countRows(db: Database, rows: ReadonlyMap<string, number>): Promise<void> {
  for (const [name, count] of rows) {
    if (isCollection(name) && (await db.collection(name).count({})) !== count)
      throw new TransferRefusal(`The restored database lacks rows of ${name}: another process has changed it. Run the restore again`);
  }
}

/** Processes of the moment of the backup do not run on this copy: their books are settled as after a crash. */
async function settle(db: Database, header: BackupHeader, now: () => number): Promise<{ audit: AuditReport; rebuilt: number }> {
  const processes = db.collection('processes');
  let rebuilt = 0;
  if (header.snapshot) await processes.patchAll({ state: { in: ['alive', 'recovering'] } }, { set: { heartbeat_at: 0 } });
  else {
    rebuilt = await rebuildBalances({ db, now, log: pino({ level: 'silent' }) });
    await processes.patchAll({}, { set: { state: 'settled' } });
  }
  // Locks of jobs and edits.
  await db.collection('jobs').patchAll({}, { set: { expires_at: 0 } });
  return { audit: await settleAndAudit(db), rebuilt };
}

async function refuseServersOn(url: string): Promise<void> {
  try {
    await refuseRunningServers(url, 'database');
  } catch (error) {
    // It is missing or damaged, which may be the reason for the restore.
    if (!(error instanceof DatabaseFileError)) throw error;
  }
}

interface Key {
  text: string;
  /** Database whose key file gets it; null if the key is in place. */
  write: DatabaseUrl | null;
}

/** Finds the key that the stored secrets of the backup need: without it the keys of channels and users could not be read. */
async function findKey(header: BackupHeader, { to, sessionSecret, passphrase }: RestoreOptions): Promise<Key> {
  const target = parseDatabaseUrl(to);
  const file = keyFileOf(target);
  const fits = (text: string) => header.key_mark === null || keyMark(text) === header.key_mark;
  const present = sessionSecret ?? (file === null ? undefined : await readText(file));
  if (present !== undefined && fits(present)) return { text: present, write: null };
  const where = file ?? 'SESSION_SECRET';
  if (header.key === undefined) {
    if (header.key_mark === null) return { text: '', write: null };
    throw new TransferRefusal(
      `The backup needs its master key, which it does not contain: put the key file of its server to ${where}, or set SESSION_SECRET`,
    );
  }
  if (passphrase === undefined)
    throw new TransferRefusal(
      `The backup needs its master key, which it contains sealed: name a file with its passphrase by --passphrase-file`,
    );
  const text = await openSealedKey(header.key, passphrase);
  if (!fits(text)) throw new TransferRefusal('The sealed master key is not the one of the records in the backup');
  if (sessionSecret !== undefined)
    throw new TransferRefusal('SESSION_SECRET is not the master key of the backup: unset it, or set the right one');
  if (file === null)
    throw new TransferRefusal('With MongoDB the master key is SESSION_SECRET: print the one in the backup by --print-key, and set it');
  return { text, write: target };
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch {
    return undefined;
  }
}

/** Replaces the key file; the current one is retained under another name. */
async function writeKeyFile(target: DatabaseUrl, text: string, stamp: string): Promise<{ file: string; replaced: string | null }> {
  const file = keyFileOf(target);
  if (file === null) throw new TypeError('Only an embedded database has a key file');
  const draft = `${file}.${stamp}`;
  await writeFile(draft, `${text}\n`, { mode: 0o600, flag: 'wx' });
  let replaced: string | null = `${file}.replaced-${stamp}`;
  try {
    await link(file, replaced);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
      await rm(draft, { force: true });
      throw error;
    }
    replaced = null;
  }
  await rename(draft, file);
  return { file, replaced };
}

/** The database was not replaced: its secrets need their former key. */
async function putKeyBack({ file, replaced }: NonNullable<RestoreResult['keyFile']>): Promise<void> {
  await (replaced === null ? rm(file, { force: true }) : rename(replaced, file));
}

/** Returns the master key in a backup. @throws {TransferRefusal} @throws {WrongPassphrase} */
export async function readSealedKey(file: string, passphrase: string): Promise<string> {
  const { header } = await readHeader(file);
  if (header.key === undefined) throw new TransferRefusal('The backup does not contain its master key');
  return openSealedKey(header.key, passphrase);
}
