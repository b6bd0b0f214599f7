// Folder of uploaded databases. A file remains until its import ends.
import { mkdir, readdir, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { parseDatabaseUrl } from '#server/db/database-url.ts';
import type { Env } from '#server/env.ts';

const ending = '.import.db';
/** SQLite may add files to a database in WAL mode, though it is only read. */
const companions = ['', '-wal', '-shm', '-journal'];
const abandonedMs = 24 * 3_600_000;
const forgottenMs = 7 * 24 * 3_600_000;
/** Space on the disk that an upload must leave. */
const spareBytes = 500_000_000;

export function importFolder({ IMPORT_DIR, DATABASE_URL }: Pick<Env, 'IMPORT_DIR' | 'DATABASE_URL'>): string {
  if (IMPORT_DIR !== undefined) return path.resolve(IMPORT_DIR);
  const target = parseDatabaseUrl(DATABASE_URL);
  return target.kind === 'embedded' ? path.join(path.dirname(target.file), 'imports') : path.resolve('data/imports');
}

/** Name of a file of the folder, of which no part comes from a request. */
export function newFileName({ randomText }: Pick<AppContext, 'randomText'>, id: number): string {
  return `${id}-${randomText(12)}${ending}`;
}

export function importFile({ env }: Pick<AppContext, 'env'>, name: string): string {
  return path.join(importFolder(env), path.basename(name));
}

/** @throws {AppError} `import_disk_full`, and the file system's errors */
export async function prepareFolder({ env }: Pick<AppContext, 'env'>, bytes: number): Promise<void> {
  const folder = importFolder(env);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < bytes + spareBytes) throw new AppError('import_disk_full');
}

export async function isFileHere(context: Pick<AppContext, 'env'>, name: string): Promise<boolean> {
  return (await stat(importFile(context, name)).catch(() => null))?.isFile() === true;
}

export async function removeFile(context: Pick<AppContext, 'env'>, name: string): Promise<void> {
  if (name === '') return;
  for (const companion of companions) await rm(`${importFile(context, name)}${companion}`, { force: true });
}

/** Ends imports that were not started within a week, and removes files of those that have ended. */
export async function sweepFolder(context: Pick<AppContext, 'db' | 'env' | 'now'>): Promise<void> {
  const { db, now } = context;
  const forgotten = { state: { in: ['draft', 'planned'] as const }, created_at: { lt: now() - forgottenMs } };
  const ended = { state: 'failed', ended_at: now(), source_cipher: '', error: { code: 'stopped', text: '' } } as const;
  await db.collection('imports').patchAll(forgotten, { set: ended });
  const runs = await db
    .collection('imports')
    .find({ file: { ne: '' }, state: { in: ['draft', 'planning', 'planned', 'running', 'paused'] } });
  const files = new Set(runs.map(({ file }) => file));
  const folder = importFolder(context.env);
  for (const found of await readdir(folder).catch(() => [])) {
    const name = companions.reduce(
      (text, companion) => (companion !== '' && text.endsWith(companion) ? text.slice(0, -companion.length) : text),
      found,
    );
    if (!name.endsWith(ending) || files.has(name)) continue;
    // Its record may be about to be stored.
    const info = await stat(path.join(folder, found)).catch(() => null);
    if (info !== null && now() - info.mtimeMs > abandonedMs) await rm(path.join(folder, found), { force: true });
  }
}
