// Plans and applies a document: everything is checked before the first write; then settings, groups and prices in one step, channels, tokens, and last
// what is deleted. Each object is written at once; what a crash leaves undone is done by the next apply.
import { hash } from 'node:crypto';
import type { Applied, DocumentProblem, Plan } from '#shared/as-code.ts';
import { AppError, type Language } from '#shared/errors.ts';
import { commaList } from '#shared/comma-list.ts';
import { actingForFile } from '#server/audit-log/actor.ts';
import type { AppContext } from '#server/context.ts';
import { withApplyLock } from './apply-lock.ts';
import { canonical } from './entry-values.ts';
import { checkRemovedGroups, type PlannedEntries, planEntries } from './plan-entries.ts';
import { planChannels } from './plan-channels.ts';
import { planTokens } from './plan-tokens.ts';
import { type Applier, type Applying, type Planning, refusalText, type Step, textIn } from './planning.ts';
import type { Described, DocumentFile, Problem } from './read-document.ts';
import { masked } from './references.ts';

export interface ApplyRequest {
  actor: Applier;
  language: Language;
  files: readonly DocumentFile[];
  /** Reads them, with the values of their references. */
  read(files: readonly DocumentFile[]): Described | Promise<Described>;
  /** Name of the set of files; undefined for that in the files. */
  name?: string | undefined;
  /** Name where neither `name` nor the files have one; undefined for that of the only file. */
  usualName?: string | undefined;
  prunes?: boolean;
}

interface ApplyOptions {
  /** Only if the plan is still this one. */
  digest?: string | undefined;
  /** Called with a key before its token is stored. */
  onKey?: Applying['onKey'];
}

interface Planned {
  plan: Plan;
  entries: PlannedEntries;
  steps: Step[];
}

/** Checks a document and returns what it would change. Nothing is written. @throws {AppError} `document_invalid` with all problems */
export async function planDocument(context: AppContext, request: ApplyRequest): Promise<Plan> {
  return (await actingForFile(() => planAll(context, request))).plan;
}

/** @throws {AppError} as `planDocument`; `apply_running`, `apply_outdated`; `apply_stopped` if a write failed */
export function applyDocument(context: AppContext, request: ApplyRequest, options: ApplyOptions = {}): Promise<Applied> {
  const { digest, onKey = async () => {} } = options;
  const work = () =>
    actingForFile(async () => {
      const { plan, entries, steps } = await planAll(context, request);
      if (digest !== undefined && digest !== plan.digest) throw new AppError('apply_outdated');
      const applying: Applying = { keys: [], onKey };
      await runSteps(context, { entries, steps, applying });
      return { ...plan, keys: applying.keys };
    });
  return withApplyLock(context, work);
}

/** Deletions come last: what they leave behind may be needed until then. */
async function runSteps(
  context: AppContext,
  { entries, steps, applying }: { entries: PlannedEntries; steps: readonly Step[]; applying: Applying },
): Promise<void> {
  const own = steps.filter(({ run }) => run !== undefined);
  const total = steps.length;
  let done = 0;
  try {
    await entries.save();
    const removed = entries.removedGroups.length;
    done = total - own.length - removed;
    for (const { run } of own) {
      await run?.(applying);
      done += 1;
    }
    await context.channels.reload();
    await entries.removeGroups();
  } catch (failure) {
    if (!(failure instanceof AppError) || failure.code === 'apply_outdated') throw failure;
    const reason = failure.code === 'revision_conflict' ? new AppError('apply_outdated') : failure;
    const data = applying.keys.length === 0 ? {} : { data: { keys: applying.keys } };
    throw new AppError('apply_stopped', { done, total, detail: refusalText(reason) }, { cause: failure, ...data });
  }
}

async function planAll(context: AppContext, request: ApplyRequest): Promise<Planned> {
  const { actor, language, files, prunes = false } = request;
  const described = await request.read(files);
  const by = request.name ?? described.name ?? request.usualName ?? (files.length === 1 ? files[0]?.name : undefined);
  if (by === undefined) throw new AppError('document_nameless');
  const planning: Planning = {
    context,
    actor,
    language,
    described,
    by,
    prunes,
    problems: [...described.problems],
    warnings: [...described.warnings],
  };
  const { secrets } = described;
  // What cannot be read says nothing of what would change.
  if (planning.problems.length > 0) throw refused(planning, secrets);
  const entries = await planEntries(planning);
  const channels = await planChannels(planning, entries.settings);
  const tokens = await planTokens(planning, entries.settings);
  if (entries.removedGroups.length > 0) {
    const before = await context.db.collection('channels').group({ by: ['group'] });
    const count = (group: string) => before.reduce((sum, row) => sum + (commaList(String(row.group)).includes(group) ? row.count : 0), 0);
    await checkRemovedGroups(planning, entries, {
      channels: (group) => count(group) - channels.groups.filter((groups) => groups.includes(group)).length,
      tokens: (group) => tokens.leaving.get(group) ?? 0,
    });
  }
  if (planning.problems.length > 0) throw refused(planning, secrets);
  const isDeletion = ({ action }: Step) => action === 'deleted';
  const all = [...entries.steps, ...channels.steps, ...tokens.steps];
  const steps = [...all.filter((step) => !isDeletion(step)), ...all.filter(isDeletion).toReversed()];
  const changes = steps.map(({ kind, name, action, place, fields }) => ({
    kind,
    name: masked(name, secrets),
    action,
    ...(place === undefined ? {} : { file: place.file, line: place.line }),
    fields: fields.map((field) => ({
      ...field,
      ...(field.before === undefined ? {} : { before: masked(field.before, secrets) }),
      ...(field.after === undefined ? {} : { after: masked(field.after, secrets) }),
    })),
  }));
  const basis = canonical([
    by,
    entries.basis,
    steps.map(({ kind, name, action, fields, revision }) => [kind, name, action, fields, revision]),
  ]);
  const plan: Plan = {
    name: by,
    changes,
    same: entries.same + channels.same + tokens.same,
    left: [...entries.left, ...channels.left, ...tokens.left],
    warnings: presentProblems(planning.warnings, language, secrets),
    digest: hash('sha256', basis),
  };
  return { plan, entries, steps };
}

function refused({ problems, language }: Planning, secrets: ReadonlySet<string>): AppError {
  const presented = presentProblems(problems, language, secrets);
  const [first] = presented;
  const detail = first === undefined ? '' : `${first.file}:${first.line}:${first.column} ${first.message}`;
  return new AppError('document_invalid', { count: problems.length, detail }, { data: { problems: presented } });
}

export function presentProblems(problems: readonly Problem[], language: Language, secrets: ReadonlySet<string>): DocumentProblem[] {
  return problems.map(({ text, path, ...place }) => ({
    ...place,
    path: masked(path, secrets),
    message: masked(textIn(text, language), secrets),
  }));
}
