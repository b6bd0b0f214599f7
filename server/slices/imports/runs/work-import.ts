// Does the work of an import that a record describes: the dry run, or a backup, the rows and the proof. It may be stopped anywhere: the next process
// that claims the record continues.
import { parseEnv } from 'node:util';
import { Role } from '#shared/roles.ts';
import { UserStatus } from '#shared/user.ts';
import type { ImportProgress, ImportReport } from '#shared/imports.ts';
import { actingAsJob } from '#server/audit-log/actor.ts';
import { recordAudit } from '#server/audit-log/entries.ts';
import type { AppContext } from '#server/context.ts';
import type { Patch } from '#server/db/collection.ts';
import type { ImportRunRecord } from '#server/db/records/import.ts';
import { runBackup } from '#server/transfer/run-backup.ts';
import { ImportStopped } from '../import-job.ts';
import { type OpenedProgram, openProgram, type ProgramRequest } from '../open-program.ts';
import { proveImport } from '../prove-import.ts';
import { runImport } from '../run-import.ts';
import { SourceError } from '../sources/source-database.ts';
import { importFile, isFileHere, removeFile } from './import-folder.ts';
import { aliveMs, endOfRun, optionsOf, type StoredSource } from './run-records.ts';

export interface WorkOrder {
  id: number;
  /** Mark of the claim. */
  worker: string;
  /** Ends the work after the current page; the import continues later. */
  signal?: AbortSignal;
  /** If defined, the source is opened so: a command has it at hand. */
  open?: () => Promise<OpenedProgram>;
  onProgress?: (progress: ImportProgress) => void;
}

const beatMs = 1_500;
export const importJob = 'import';

/** Resolves when the work has ended, whatever its result. @throws {Error} if the result cannot be stored */
export async function workImport(context: AppContext, order: WorkOrder): Promise<void> {
  const { id, worker } = order;
  const run = await context.db.collection('imports').get(id);
  if (run?.worker !== worker || (run.state !== 'planning' && run.state !== 'running')) return;
  const work = new Work(context, run, order);
  await actingAsJob(importJob, () => work.done());
}

class Work {
  readonly #context: AppContext;
  readonly #run: ImportRunRecord;
  readonly #state: 'planning' | 'running';
  readonly #order: WorkOrder;
  readonly #stop = new AbortController();
  #progress: ImportProgress | undefined;
  #beating: Promise<unknown> = Promise.resolve();

  constructor(context: AppContext, run: ImportRunRecord, order: WorkOrder) {
    const { signal } = order;
    this.#context = context;
    this.#run = run;
    this.#state = run.state === 'planning' ? 'planning' : 'running';
    this.#order = order;
    if (signal?.aborted === true) this.#stop.abort();
    signal?.addEventListener('abort', () => this.#stop.abort());
  }

  async done(): Promise<void> {
    const { log } = this.#context;
    const timer = setInterval(() => {
      this.#beating = this.#beat().catch((failure: unknown) =>
        log.warn({ reason: String(failure) }, 'the progress of an import could not be stored'),
      );
    }, beatMs);
    let change: Patch<ImportRunRecord>;
    let isStopped = false;
    try {
      await this.#checkStarter();
      change = await (this.#state === 'planning' ? this.#plan() : this.#write());
    } catch (failure) {
      isStopped = failure instanceof ImportStopped;
      change = isStopped ? {} : this.#failed(failure);
    }
    clearInterval(timer);
    await this.#beating;
    await this.#end(change, isStopped);
  }

  async #plan(): Promise<Patch<ImportRunRecord>> {
    const { program, close } = await this.#open();
    try {
      const plan = await this.#rows(program, true);
      return { set: { state: 'planned', label: program.label, plan: JSON.stringify(plan), ended_at: this.#context.now() } };
    } finally {
      await close();
    }
  }

  async #write(): Promise<Patch<ImportRunRecord>> {
    const context = this.#context;
    const { program, close } = await this.#open();
    try {
      await this.#backUp();
      await this.#patch({ set: { step: 'rows' } });
      const report = await this.#rows(program, false);
      await this.#patch({ set: { step: 'proof', report: JSON.stringify(report) } });
      const proof = await proveImport(context, { program, options: optionsOf(this.#run), report });
      return {
        set: { state: 'done', label: program.label, report: JSON.stringify(report), proof: JSON.stringify(proof), ended_at: context.now() },
      };
    } finally {
      await close();
    }
  }

  #rows(program: OpenedProgram['program'], isDry: boolean): Promise<ImportReport> {
    return runImport(this.#context, {
      program,
      options: optionsOf(this.#run),
      isDry,
      onProgress: (progress) => {
        this.#progress = progress;
        this.#order.onProgress?.(progress);
      },
      signal: this.#stop.signal,
    });
  }

  async #open(): Promise<OpenedProgram> {
    if (this.#order.open !== undefined) return this.#order.open();
    const context = this.#context;
    const { file } = this.#run;
    const stored = this.#source();
    if (file !== '' && !(await isFileHere(context, file))) throw new RunFailure('file_lost');
    const from = file === '' ? stored.address : importFile(context, file);
    const request: ProgramRequest = {
      ...(from === undefined ? {} : { from }),
      ...(stored.config === undefined ? {} : { configText: stored.config }),
      environment: stored.environment === undefined ? {} : parseEnv(stored.environment),
      name: this.#run.source,
    };
    return openProgram(request, {
      now: Math.floor(context.now() / 1000),
      secrets: context.secrets,
      quotaPerUnit: context.settings.get('QuotaPerUnit'),
    });
  }

  #source(): StoredSource {
    // Written by `createRun`.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return JSON.parse(this.#context.secrets.decrypt(this.#run.source_cipher, 'import_source')) as StoredSource;
  }

  /** Once: a resumed import has one from before its first row. */
  async #backUp(): Promise<void> {
    const { without_backup: isWithout } = optionsOf(this.#run);
    if (isWithout || this.#run.backup_id !== undefined) return;
    await this.#patch({ set: { step: 'backup' } });
    const begun = await runBackup(this.#context, { trigger: 'import', userId: this.#run.by, signal: this.#stop.signal });
    const backup = await begun.ended;
    if (this.#stop.signal.aborted) throw new ImportStopped('The import was paused');
    if (backup.state !== 'done') throw new RunFailure('backup', backup.error?.text ?? '');
    await this.#patch({ set: { backup_id: backup.id } });
  }

  #failed(failure: unknown): Patch<ImportRunRecord> {
    const code = failure instanceof RunFailure ? failure.code : failure instanceof SourceError ? failure.failure : 'other';
    const text = failure instanceof Error ? failure.message : String(failure);
    this.#context.log.error({ err: failure, import: this.#run.id }, 'an import failed');
    return { set: { ...endOfRun(this.#state), ended_at: this.#context.now(), error: { code, text: text.slice(0, 500) } } };
  }

  /** Pauses the work of who is no super administrator any more; another one continues it. @throws {ImportStopped} then */
  async #checkStarter(): Promise<void> {
    const { started_by: id = this.#run.by } = this.#run;
    if (id === 0) return;
    const user = await this.#context.db.collection('users').get(id);
    if (user?.role === Role.root && user.status === UserStatus.active && user.DeletedAt === null) return;
    const state = this.#state === 'running' ? 'paused' : 'draft';
    await this.#patch({ set: { state, error: { code: 'starter_gone', text: '' } } }, { state: this.#state });
    throw new ImportStopped('Who started the import is no super administrator any more');
  }

  async #beat(): Promise<void> {
    await this.#checkStarter().catch((failure: unknown) => {
      if (!(failure instanceof ImportStopped)) throw failure;
      this.#stop.abort();
    });
    const set = { alive_until: this.#context.now() + aliveMs, ...this.#stored() };
    // Paused or ended by an administrator, or claimed by another process.
    if ((await this.#patch({ set }, { state: this.#state })) === null) this.#stop.abort();
  }

  #stored(): { progress?: string } {
    return this.#progress === undefined ? {} : { progress: JSON.stringify(this.#progress) };
  }

  #patch(change: Patch<ImportRunRecord>, where: { state?: ImportRunRecord['state'] } = {}): Promise<ImportRunRecord | null> {
    return this.#context.db.collection('imports').patch({ id: this.#run.id, worker: this.#order.worker, ...where }, change);
  }

  /** Stores the result, so that others can begin; without a result the state remains, and the import continues. */
  async #end({ set = {} }: Patch<ImportRunRecord>, isStopped: boolean): Promise<void> {
    const { db } = this.#context;
    const { id } = this.#run;
    const state = this.#state;
    const hasResult = set.state !== undefined;
    const isOver = set.state === 'done' || set.state === 'failed';
    const cleared = isOver ? { source_cipher: '' } : {};
    const stored = hasResult
      ? await this.#patch(
          { set: { ...set, ...cleared, ...this.#stored(), alive_until: 0, worker: '', crashes: 0 }, unset: ['running'] },
          { state },
        )
      : null;
    if (stored !== null) {
      if (isOver) await removeFile(this.#context, this.#run.file);
      await this.#record(stored);
      return;
    }
    const left = await db
      .collection('imports')
      .patch(
        { id, worker: this.#order.worker },
        { set: { alive_until: 0, worker: '', ...(isStopped ? { crashes: 0 } : {}), ...this.#stored() } },
      );
    // Only one that is to continue stays claimed.
    if (left !== null && left.state !== 'planning' && left.state !== 'running')
      await db.collection('imports').patch({ id, worker: '', state: left.state }, { unset: ['running'] });
  }

  async #record({ id, label, source, state, error }: ImportRunRecord): Promise<void> {
    if (this.#state === 'planning') return;
    const action = state === 'done' ? 'finished' : 'failed';
    await recordAudit(this.#context, { kind: 'import', action, id, name: label === '' ? source : label, reason: error?.code });
  }
}

class RunFailure extends Error {
  override name = 'RunFailure';
  readonly code: 'file_lost' | 'backup';
  constructor(code: RunFailure['code'], text = '') {
    super(text);
    this.code = code;
  }
}
