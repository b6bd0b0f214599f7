// An import, or its dry run, from the first setting to the last row of the log.
import { type ImportKind, importKinds, type ImportOptions, type ImportProgress, type ImportReport } from '#shared/imports.ts';
import { Role } from '#shared/roles.ts';
import { isSetUp, setupFact } from '#server/accounts/setup-check.ts';
import type { AppContext } from '#server/context.ts';
import type { ImportSourceRecord } from '#server/db/records/import.ts';
import { type ImportJob, ImportStopped } from './import-job.ts';
import { importSettings } from './import-settings.ts';
import type { DraftKind } from './mapped-row.ts';
import type { ImportProgram } from './program.ts';
import { Report } from './report.ts';
import { runLogs } from './run-logs.ts';
import { reserveSourceIds, runStage, storeState } from './run-stage.ts';
import { channelTarget, codeTarget, orderTarget, taskTarget } from './targets/other-targets.ts';
import { tokenTarget } from './targets/token-target.ts';
import { userTarget } from './targets/user-target.ts';

export interface ImportRequest {
  program: ImportProgram;
  options: ImportOptions;
  isDry: boolean;
  onProgress?: (progress: ImportProgress) => void | Promise<void>;
  /** Pauses the import after the current page. */
  signal?: AbortSignal;
}

/** Rate over the last seconds. */
const rateMs = 5_000;

/** @throws {ImportStopped} */
export async function runImport(context: AppContext, request: ImportRequest): Promise<ImportReport> {
  const { program, options, isDry } = request;
  const report = new Report();
  const state = (await context.db.collection('import_sources').get(program.identity)) ?? newState(program.identity);
  const since = options.log_days === 0 ? undefined : Math.floor(context.now() / 1000) - options.log_days * 86_400;
  const { counts } = await program.totals({ since });
  const job: ImportJob = {
    context,
    program,
    options,
    isDry,
    report,
    state,
    planned: new Map<DraftKind, Set<string>>((['user', 'token', 'channel'] as const).map((kind) => [kind, new Set()])),
    plannedNames: new Set(),
    onRows: progressOf(request, { ...counts, setting: program.settings.length, log: options.log_days === 0 ? 0 : counts.log }),
  };
  checkUnits(job);
  if (!isDry) await begin(job);
  await importSettings(job);
  await runStage(job, userTarget);
  await runStage(job, tokenTarget);
  await runStage(job, channelTarget);
  await runStage(job, codeTarget);
  await runStage(job, orderTarget);
  await runStage(job, taskTarget);
  await runLogs(job);
  if (!isDry) await finish(job);
  for (const note of await program.notes()) report.named(note);
  return report.done(program.label, program.program);
}

function newState(id: string): ImportSourceRecord {
  return { id, kept_ids: [], pending: null, log_count: 0, log_left: 0, log_quota: 0 };
}

/** Balances are copied as they are, so both sides must count in the same units. */
function checkUnits({ context, program, options, report }: ImportJob): void {
  const here = context.settings.get('QuotaPerUnit');
  const willBe = program.settings.find(({ key }) => key === 'QuotaPerUnit');
  const isTaken = willBe !== undefined && !options.without_settings && here === 500_000;
  if (here === program.quotaPerUnit || isTaken) return;
  report.note('conflict', 'setting', 'QuotaPerUnit', { reason: 'units_differ', detail: String(program.quotaPerUnit) });
}

/** At the first run of a source: uses its ids where the target has none. */
async function begin(job: ImportJob): Promise<void> {
  const { context, state } = job;
  const { db } = context;
  if ((await db.collection('import_sources').get(state.id)) !== null) return;
  const isEmpty = async (name: 'tokens' | 'channels' | 'redemptions' | 'deleted_channels') =>
    (await db.collection(name).count({}, 1)) === 0;
  if (await hasNoOtherUsers(job)) await useSourceIds(job, userTarget);
  if (await isEmpty('tokens')) await useSourceIds(job, tokenTarget);
  if ((await isEmpty('channels')) && (await isEmpty('deleted_channels'))) await useSourceIds(job, channelTarget);
  if (await isEmpty('redemptions')) await useSourceIds(job, codeTarget);
  await storeState(job);
}

async function useSourceIds(job: ImportJob, target: Parameters<typeof reserveSourceIds>[1]): Promise<void> {
  if (await reserveSourceIds(job, target)) job.state.kept_ids.push(target.kind);
}

/** The only account, if any, is the one that the source's super administrator joins, under the same id. */
async function hasNoOtherUsers({ context, program }: ImportJob): Promise<boolean> {
  const users = await context.db.collection('users').find({}, { limit: 2 });
  const [only] = users;
  if (only === undefined) return true;
  if (users.length > 1 || only.role < Role.root) return false;
  for await (const { rows } of program.pages('user')) {
    const same = rows.find(({ oldId }) => oldId === String(only.id));
    return same?.draft?.username_folded === only.username_folded && same?.draft?.role === Role.root;
  }
  return true;
}

/** With a super administrator, the set-up is done. */
async function finish({ context, state }: ImportJob): Promise<void> {
  state.pending = null;
  await storeState({ context, state });
  if (await isSetUp(context)) return;
  const root = await context.db.collection('users').first({ role: Role.root, DeletedAt: null });
  if (root === null) return;
  const done = { id: setupFact, value: { state: 'done', at: context.now() } };
  await context.db.collection('facts').patch({ id: setupFact }, { set: { value: done.value } }, { insertIfMissing: done });
}

function progressOf({ onProgress, signal }: ImportRequest, totals: Readonly<Record<ImportKind, number>>): ImportJob['onRows'] {
  const done = new Map<ImportKind, number>(importKinds.map((kind) => [kind, 0]));
  const total = importKinds.reduce((sum, kind) => sum + totals[kind], 0);
  const samples: { at: number; done: number }[] = [{ at: performance.now(), done: 0 }];
  return async (kind, count) => {
    done.set(kind, (done.get(kind) ?? 0) + count);
    const sum = [...done.values()].reduce((all, one) => all + one, 0);
    const at = performance.now();
    samples.push({ at, done: sum });
    while (samples.length > 2 && (samples[1]?.at ?? at) < at - rateMs) samples.shift();
    const [first] = samples;
    const rate = first === undefined || at <= first.at ? 0 : ((sum - first.done) * 1000) / (at - first.at);
    const kinds = importKinds.map((name) => ({ kind: name, done: done.get(name) ?? 0, total: totals[name] }));
    await onProgress?.({ done: sum, total: Math.max(total, sum), rate: Math.round(rate), kinds });
    if (signal?.aborted === true) throw new ImportStopped('The import was paused');
  };
}

/** Rows that belong to something else here: nothing was imported. */
export class ImportConflicts extends Error {
  override name = 'ImportConflicts';
}

/** @throws {ImportConflicts} if the dry run found any */
export function checkConflicts(report: ImportReport): void {
  const conflicts = report.notes.filter(({ effect }) => effect === 'conflict');
  if (conflicts.length === 0) return;
  const count = conflicts.reduce((sum, { rows }) => sum + rows, 0);
  const names = conflicts.flatMap((note) => note.names).slice(0, 10);
  throw new ImportConflicts(`${count} rows conflict with what is here: ${names.join(', ')}. Nothing was imported`);
}
