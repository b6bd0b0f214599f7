// An import from the command line: with a record, as those from the console have, and never next to another import.
import path from 'node:path';
import { type ImportOptions, ImportProof, ImportReport, type ImportProgress } from '#shared/imports.ts';
import { actingAsJob } from '#server/audit-log/actor.ts';
import { recordAudit } from '#server/audit-log/entries.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { ImportRunRecord } from '#server/db/records/import.ts';
import type { ImportProgram } from '../program.ts';
import { claimImport } from './import-host.ts';
import { aliveMs, newRun } from './run-records.ts';
import { importJob, workImport } from './work-import.ts';

export interface CommandRequest {
  program: ImportProgram;
  options: ImportOptions;
  plan: ImportReport;
  onProgress: (progress: ImportProgress) => void;
  signal: AbortSignal;
}

export interface CommandResult {
  report: ImportReport;
  proof: ImportProof;
  /** Where the backup is that was made before. */
  backup?: string;
}

/** @throws {Error} if the import was stopped, or could not be made */
export async function runCommand(context: AppContext, request: CommandRequest): Promise<CommandResult> {
  const { db } = context;
  const { program, onProgress, signal } = request;
  const { id, worker } = await begin(context, request);
  await actingAsJob(importJob, () => recordAudit(context, { kind: 'import', action: 'started', id, name: program.label }));
  await workImport(context, { id, worker, signal, onProgress, open: async () => ({ program, close: async () => {} }) });
  const run = await db.collection('imports').get(id);
  if (run?.state !== 'done') {
    if (run?.error === undefined) throw new Error('it was stopped; the same command continues it');
    throw new Error(run.error.text === '' ? run.error.code : run.error.text);
  }
  const backup = run.backup_id === undefined ? null : await db.collection('backups').get(run.backup_id);
  const [report, proof] = [ImportReport.parse(JSON.parse(run.report)), ImportProof.parse(JSON.parse(run.proof))];
  return { report, proof, ...(backup === null ? {} : { backup: path.join(backup.where, backup.name) }) };
}

/** @throws {Error} if another import is running */
async function begin(context: AppContext, { program, options, plan }: CommandRequest): Promise<ImportRunRecord> {
  const { db, now, randomText } = context;
  // One whose process has ended gives way.
  await claimCommandPlace(context);
  const run = newRun(context, {
    id: await db.nextId('imports'),
    by: 0,
    by_name: '',
    source_kind: 'command',
    source: program.label,
    label: program.label,
    state: 'running',
    running: 1,
    worker: randomText(16),
    alive_until: now() + aliveMs,
    has_written: true,
    started_at: now(),
    plan: JSON.stringify(plan),
    chosen: options,
  });
  try {
    await db.collection('imports').insert(run);
  } catch (cause) {
    if (cause instanceof UniqueConflict) throw new Error('another import is running, or waits for its server', { cause });
    throw cause;
  }
  return run;
}

async function claimCommandPlace(context: AppContext): Promise<void> {
  const running = await context.db.collection('imports').first({ running: 1 });
  if (running?.source_kind === 'command') await claimImport(context);
}
