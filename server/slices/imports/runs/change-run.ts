// What a super administrator does with an import: name a source, start the dry run, start, pause, end it. A process of its own does the work
// (`work-import.ts`); these calls change the state alone, which it follows.
import path from 'node:path';
import { AppError } from '#shared/errors.ts';
import { ImportReport, type ImportOptions, type ImportRun, type ImportSourceInput } from '#shared/imports.ts';
import type { AppContext } from '#server/context.ts';
import { type Patch, UniqueConflict } from '#server/db/collection.ts';
import type { ImportRunRecord } from '#server/db/records/import.ts';
import { readRemoteAddress, sourceName } from '../sources/source-address.ts';
import { newFileName, prepareFolder, removeFile } from './import-folder.ts';
import { newRun, presentRun, readRun, type StoredSource } from './run-records.ts';

/** @throws {AppError} `import_source_missing`, `import_address_form`, `import_too_large`, `import_disk_full` */
export async function createRun(
  context: AppContext,
  { file, address = '', config = '', environment = '', options }: ImportSourceInput,
  user: { id: number; username: string },
): Promise<ImportRun> {
  const { db, env, secrets } = context;
  const hasAddress = address.trim() !== '';
  if ((file !== undefined) === hasAddress && (file !== undefined || config.trim() === '')) throw new AppError('import_source_missing');
  const remote = hasAddress ? readRemoteAddress(address) : undefined;
  if (hasAddress && remote === undefined) throw new AppError('import_address_form');
  if (file !== undefined) {
    if (file.bytes > env.MAX_IMPORT_MB * 1_000_000) throw new AppError('import_too_large', { limit: env.MAX_IMPORT_MB });
    await prepareFolder(context, file.bytes);
  }
  const id = await db.nextId('imports');
  const stored: StoredSource = {
    ...(remote === undefined ? {} : { address: remote.url }),
    ...(config.trim() === '' ? {} : { config }),
    ...(environment.trim() === '' ? {} : { environment }),
  };
  const run = newRun(context, {
    id,
    by: user.id,
    by_name: user.username,
    source_kind: file !== undefined ? 'file' : remote !== undefined ? 'address' : 'config',
    source:
      file !== undefined
        ? path.basename(file.name.replaceAll('\\', '/')).slice(0, 200)
        : remote !== undefined
          ? sourceName(remote)
          : 'config.yaml',
    file: file === undefined ? '' : newFileName(context, id),
    bytes: file?.bytes ?? 0,
    source_cipher: secrets.encrypt(JSON.stringify(stored), 'import_source'),
    chosen: options,
  });
  await db.collection('imports').insert(run);
  return presentRun(context, run);
}

/** @throws {AppError} `not_found`, `import_not_ready`, `import_running` */
export async function planRun(context: AppContext, id: number, options: ImportOptions, userId: number): Promise<ImportRun> {
  const run = await readRun(context, id);
  if (run.received < run.bytes) throw new AppError('import_not_ready');
  return claim(context, id, ['draft', 'planned'], {
    set: { state: 'planning', step: 'rows', options: JSON.stringify(options), plan: '', progress: '', started_by: userId },
  });
}

/** @throws {AppError} `not_found`, `import_not_ready`, `import_running`, `import_conflicts` */
export async function startRun(context: AppContext, id: number, userId: number): Promise<ImportRun> {
  const run = await readRun(context, id);
  if (run.state === 'planned' && hasConflicts(run)) throw new AppError('import_conflicts');
  return claim(context, id, ['planned', 'paused'], {
    set: { state: 'running', has_written: true, started_by: userId, ...(run.state === 'planned' ? { progress: '' } : {}) },
  });
}

function hasConflicts({ plan }: ImportRunRecord): boolean {
  const report = ImportReport.safeParse(plan === '' ? null : JSON.parse(plan));
  return !report.success || report.data.notes.some(({ effect }) => effect === 'conflict');
}

/** The process finishes the page of rows that it writes. @throws {AppError} `import_not_ready` */
export async function pauseRun(context: AppContext, id: number): Promise<ImportRun> {
  const imports = context.db.collection('imports');
  const running = await imports.patch({ id, state: 'running' }, { set: { state: 'paused' } });
  // A dry run has written nothing: there is nothing to continue.
  const run = running ?? (await imports.patch({ id, state: 'planning' }, { set: { state: 'draft', progress: '' } }));
  if (run === null) throw new AppError('import_not_ready');
  return presentRun(context, await release(context, run));
}

/** @throws {AppError} `not_found`, `import_not_ready` */
export async function stopRun(context: AppContext, id: number): Promise<ImportRun> {
  const { db, now } = context;
  await readRun(context, id);
  const open = ['draft', 'planning', 'planned', 'running', 'paused'] as const;
  const ended = await db
    .collection('imports')
    .patch(
      { id, state: { in: open } },
      { set: { state: 'failed', ended_at: now(), source_cipher: '', error: { code: 'stopped', text: '' } } },
    );
  if (ended === null) throw new AppError('import_not_ready');
  await removeFile(context, ended.file);
  return presentRun(context, await release(context, ended));
}

/** Of several imports that begin at once, one does. */
async function claim(
  context: AppContext,
  id: number,
  from: readonly ImportRunRecord['state'][],
  change: Patch<ImportRunRecord>,
): Promise<ImportRun> {
  const { db, now } = context;
  const set = { ...change.set, running: 1 as const, crashes: 0, started_at: now(), ended_at: 0 };
  try {
    const run = await db.collection('imports').patch({ id, state: { in: from } }, { set, unset: ['error'] });
    if (run === null) throw new AppError('import_not_ready');
    return presentRun(context, run);
  } catch (failure) {
    if (failure instanceof UniqueConflict) throw new AppError('import_running', {}, { cause: failure });
    throw failure;
  }
}

/** Allows another import to begin, if no process works on this one. */
async function release({ db, now }: AppContext, run: ImportRunRecord): Promise<ImportRunRecord> {
  if (run.alive_until >= now()) return run;
  return (await db.collection('imports').patch({ id: run.id, alive_until: run.alive_until }, { unset: ['running'] })) ?? run;
}
