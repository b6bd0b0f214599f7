// Stored imports: how they are begun, read and changed.
import {
  type ImportDetails,
  ImportOptions,
  ImportProgress,
  ImportProof,
  ImportReport,
  type ImportRun,
  ImportFailure,
} from '#shared/imports.ts';
import { AppError } from '#shared/errors.ts';
import type { z } from 'zod/mini';
import type { AppContext } from '#server/context.ts';
import type { ImportRunRecord } from '#server/db/records/import.ts';

export type RunContext = Pick<AppContext, 'db' | 'now'>;

/** Time without a sign of life after which another process may continue. */
export const aliveMs = 30_000;

/** Where rows come from; stored encrypted. */
export interface StoredSource {
  address?: string | undefined;
  config?: string | undefined;
  environment?: string | undefined;
}

export function newRun(
  { now }: Pick<AppContext, 'now'>,
  given: Pick<ImportRunRecord, 'id' | 'by' | 'by_name' | 'source_kind' | 'source'> & Partial<ImportRunRecord> & { chosen: ImportOptions },
): ImportRunRecord {
  const { chosen, ...fields } = given;
  return {
    state: 'draft',
    worker: '',
    alive_until: 0,
    crashes: 0,
    file: '',
    bytes: 0,
    received: 0,
    has_written: false,
    source_cipher: '',
    label: '',
    created_at: now(),
    started_at: 0,
    ended_at: 0,
    step: 'rows',
    options: JSON.stringify(chosen),
    plan: '',
    report: '',
    proof: '',
    progress: '',
    ...fields,
  };
}

/** After a failure: rows that were written stay, and the import can be continued once the cause is gone; a dry run has nothing to continue. */
export function endOfRun(state: 'planning' | 'running'): Pick<ImportRunRecord, 'state'> & Partial<ImportRunRecord> {
  return state === 'running' ? { state: 'paused' } : { state: 'failed', source_cipher: '' };
}

/** @throws {AppError} `not_found` */
export async function readRun({ db }: RunContext, id: number): Promise<ImportRunRecord> {
  const run = await db.collection('imports').get(id);
  if (run === null) throw new AppError('not_found');
  return run;
}

export function optionsOf(run: Pick<ImportRunRecord, 'options'>): ImportOptions {
  return parsed(ImportOptions, run.options) ?? ImportOptions.parse({});
}

export function presentRun({ now }: Pick<AppContext, 'now'>, run: ImportRunRecord): ImportRun {
  // Rows from before an interruption are the same ones later: the dry run has counted all of them.
  const report = parsed(ImportReport, run.plan) ?? parsed(ImportReport, run.report);
  const proof = parsed(ImportProof, run.proof);
  const progress = parsed(ImportProgress, run.progress);
  const isActive = run.state === 'planning' || run.state === 'running';
  return {
    id: run.id,
    state: run.state,
    source_kind: run.source_kind,
    source: run.source,
    label: run.label,
    by: run.by_name,
    created_at: seconds(run.created_at),
    started_at: seconds(run.started_at),
    ended_at: seconds(run.ended_at),
    bytes: run.bytes,
    received: run.received,
    options: optionsOf(run),
    step: run.step,
    ...(progress === undefined ? {} : { progress }),
    is_waiting: isActive && run.alive_until < now(),
    is_stopping: !isActive && run.running === 1 && run.alive_until >= now(),
    ...(run.error === undefined ? {} : { error: { code: failureOf(run.error.code), text: run.error.text } }),
    has_written: run.has_written,
    ...(run.backup_id === undefined ? {} : { backup_id: run.backup_id }),
    added: sum(report, 'added'),
    changed: sum(report, 'changed'),
    ...(proof === undefined ? {} : { is_proved: proof.is_complete }),
  };
}

export async function presentDetails(context: Pick<AppContext, 'now' | 'db'>, run: ImportRunRecord): Promise<ImportDetails> {
  const plan = parsed(ImportReport, run.plan);
  const report = parsed(ImportReport, run.report);
  const proof = parsed(ImportProof, run.proof);
  const backup = run.backup_id === undefined ? null : await context.db.collection('backups').get(run.backup_id);
  return {
    ...presentRun(context, run),
    ...(backup === null || backup.removed_at !== undefined ? {} : { backup: { name: backup.name, where: backup.where } }),
    ...(plan === undefined ? {} : { plan }),
    ...(report === undefined ? {} : { report }),
    ...(proof === undefined ? {} : { proof }),
  };
}

/** A text that an older version has stored in another shape counts as absent. */
function parsed<Schema extends z.ZodMiniType>(schema: Schema, text: string): z.output<Schema> | undefined {
  if (text === '') return undefined;
  const read = schema.safeParse(JSON.parse(text));
  return read.success ? read.data : undefined;
}

function sum(report: ImportReport | undefined, field: 'added' | 'changed'): number {
  return report?.counts.reduce((all, count) => all + count[field], 0) ?? 0;
}

function failureOf(code: string): ImportFailure {
  const read = ImportFailure.safeParse(code);
  return read.success ? read.data : 'other';
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
