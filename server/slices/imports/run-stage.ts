// Runs the rows of one kind, page by page: rows that are here already are counted, others judged and written.
//
// A page is written in steps that may be repeated: the ids are drawn and stored, the records inserted under them, balances entered in the ledger by a
// reference per row, and last the row is marked as imported. A run that stops in between finds the stored ids and repeats the page under them.
import type { ImportKind } from '#shared/imports.ts';
import type { LedgerRequest } from '#server/money/ledger.ts';
import type { Write } from '#server/db/database.ts';
import { hourOf } from '#server/logs/rollup-shape.ts';
import { findIds, findImported, type IdOf, type ImportJob, rowId } from './import-job.ts';
import type { Drafts, DraftKind, MappedRow } from './mapped-row.ts';
import type { FreshRow, Target, Verdict } from './targets/target.ts';

/** Ledger entries written at once: they are committed together. */
const entriesAtOnce = 32;
/** Greatest id that is taken over: new ids follow it, so a far one would leave a gap. */
const greatestSourceId = 50_000_000;
const idsAtOnce = 100_000;

export async function runStage<Kind extends Exclude<DraftKind, 'log'>>(job: ImportJob, target: Target<Kind>): Promise<void> {
  const { kind } = target;
  for await (const { rows } of job.program.pages(kind)) {
    const known = await findImported(
      job,
      kind,
      rows.map(({ oldId }) => oldId),
    );
    const fresh: FreshRow<Drafts[Kind]>[] = [];
    for (const row of rows) {
      const before = known.get(row.oldId);
      if (before !== undefined) {
        countKnown(job, kind, row, before);
        continue;
      }
      const { draft } = row;
      if (draft === null) leave(job, kind, row);
      else fresh.push({ ...row, draft });
    }
    await importRows(job, target, fresh);
    await job.onRows(kind, rows.length);
  }
}

function countKnown(job: ImportJob, kind: DraftKind, row: MappedRow<unknown>, { amount, used }: { amount: number; used: number }): void {
  job.report.row(kind, { money: { amount, used } }, 'same');
  job.planned.get(kind)?.add(row.oldId);
  const isAccount = kind === 'user' || kind === 'token';
  if (!isAccount || row.draft === null || amount === row.money.amount) return;
  job.report.note('left', kind, row.name, { reason: 'changed_in_source', quota: row.money.amount - amount });
}

export function leave(job: ImportJob, kind: ImportKind, row: MappedRow<unknown>): void {
  const { name, leftOut } = row;
  job.report.row(kind, row, 'left');
  if (leftOut !== undefined) job.report.note('left', kind, name, leftOut);
}

/** @returns new ids by old id */
export async function importRows<Kind extends DraftKind>(
  job: ImportJob,
  target: Target<Kind>,
  fresh: readonly FreshRow<Drafts[Kind]>[],
): Promise<void> {
  if (fresh.length === 0) return;
  const { kind } = target;
  const idOf = await findIds(
    job,
    fresh.flatMap(({ draft }) => target.references(draft)),
  );
  const pending = new Map(job.state.pending?.kind === kind ? job.state.pending.ids : []);
  const interrupted = await target.existing(
    job,
    fresh.flatMap(({ oldId }) => pending.get(oldId) ?? []),
  );
  const isWritten = ({ oldId }: FreshRow<Drafts[Kind]>) => interrupted.has(pending.get(oldId) ?? 0);
  const resumed = job.isDry ? [] : fresh.filter(isWritten);
  const verdicts = await target.judge(job, job.isDry ? fresh : fresh.filter((row) => !isWritten(row)), idOf);
  for (const verdict of verdicts) count(job, kind, verdict);
  for (const row of resumed) job.report.row(kind, row, 'added');
  if (job.isDry) return;
  const additions = verdicts.filter((verdict) => verdict.outcome === 'add');
  const joins = verdicts.filter((verdict) => verdict.outcome === 'join');
  const ids = await reserveIds(job, target, [...resumed, ...additions.map(({ row }) => row)], pending);
  const idIn = (row: FreshRow<Drafts[Kind]>) => ids.get(row.oldId) ?? 0;
  // A row may refer to one of its own page, such as an inviter.
  const withPage: IdOf = (refKind, oldId) => (refKind === kind ? ids.get(oldId) : undefined) ?? idOf(refKind, oldId);
  const written = await job.context.db.write(additions.map(({ row, draft }) => target.insertion(draft, idIn(row), withPage)));
  // A write without effect was refused, or is the repetition of one whose answer was lost.
  const doubtful = additions.filter((_addition, index) => written[index] !== true).map(({ row }) => row);
  const stored = await target.existing(job, doubtful.map(idIn));
  const lost = new Set(doubtful.filter((row) => !stored.has(idIn(row))));
  const complete = [...resumed, ...additions.map(({ row }) => row)].filter((row) => !lost.has(row));
  for (const row of lost) refused(job, kind, row);
  for (const row of complete) {
    const writes = (await target.further?.(job, row.draft, idIn(row))) ?? [];
    if (writes.length > 0) await job.context.db.write(writes);
  }
  await openAccounts(job, target, [...complete.map((row) => ({ row, id: idIn(row) })), ...joins.map(({ row, id }) => ({ row, id }))]);
  if (kind === 'log') return;
  const marks = [...complete.map((row) => ({ row, id: idIn(row) })), ...joins.map(({ row, id }) => ({ row, id }))];
  await job.context.db.write(
    marks.map(({ row, id }): Write => ({
      insert: { id: rowId(job.state.id, kind, row.oldId), new_id: id, amount: row.money.amount, used: row.money.used },
      into: 'import_rows',
      ignoreConflict: true,
    })),
  );
  await target.announce?.(
    job,
    complete.map((row) => idIn(row)),
  );
}

function count<Draft>(job: ImportJob, kind: DraftKind, verdict: Verdict<Draft>): void {
  const { row, outcome } = verdict;
  if (outcome === 'leave' || outcome === 'conflict') {
    job.report.row(kind, row, 'left');
    const isRefused = outcome === 'conflict' && job.options.conflicts === 'refuse';
    job.report.note(isRefused ? 'conflict' : 'left', kind, row.name, verdict.note);
    return;
  }
  job.report.row(kind, row, outcome === 'add' ? 'added' : 'changed');
  job.planned.get(kind)?.add(row.oldId);
  for (const note of verdict.notes) job.report.note('changed', kind, row.name, note);
}

/** Another writer took a unique value after it was checked. */
function refused(job: ImportJob, kind: DraftKind, row: FreshRow<unknown>): void {
  job.report.refuse(kind, row);
  job.report.note('left', kind, row.name, {
    reason: 'unreadable',
    detail: { zh: '唯一索引冲突', en: 'unique index' },
    quota: row.money.amount,
  });
}

/** Ids that were reserved for these rows before, or new ones, stored before anything is written. */
async function reserveIds<Kind extends DraftKind>(
  job: ImportJob,
  target: Target<Kind>,
  rows: readonly MappedRow<Drafts[Kind]>[],
  pending: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  const missing: string[] = [];
  for (const { oldId } of rows) {
    const reserved = pending.get(oldId);
    const original = job.state.kept_ids.includes(target.kind) && /^[1-9]\d*$/.test(oldId) ? Number(oldId) : undefined;
    const id = reserved ?? original;
    if (id === undefined) missing.push(oldId);
    else ids.set(oldId, id);
  }
  const drawn = await target.nextIds(job, missing.length);
  for (const [index, oldId] of missing.entries()) ids.set(oldId, drawn[index] ?? 0);
  job.state.pending = { kind: target.kind, ids: [...ids] };
  await storeState(job);
  return ids;
}

/** One opening entry per account, exactly once. */
async function openAccounts<Kind extends DraftKind>(
  job: ImportJob,
  { account }: Target<Kind>,
  rows: readonly { row: FreshRow<Drafts[Kind]>; id: number }[],
): Promise<void> {
  if (account === undefined) return;
  for (let from = 0; from < rows.length; from += entriesAtOnce) {
    await Promise.all(
      rows.slice(from, from + entriesAtOnce).map(({ row, id }) => {
        const request: LedgerRequest = { account, id, ref: openingRef(job.state.id, account, row.oldId), kind: 'import', actorId: 0 };
        return job.context.ledger.open({ ...request, ...row.money });
      }),
    );
  }
}

export function openingRef(source: string, account: 'user' | 'token', oldId: string): string {
  return `import:${source}:${account}:${oldId}`;
}

export async function storeState({ context, state }: Pick<ImportJob, 'context' | 'state'>): Promise<void> {
  const { id, log_first, log_last, log_older, log_older_first, ...fields } = state;
  const positions = Object.entries({ log_first, log_last, log_older, log_older_first });
  const set = { ...fields, ...Object.fromEntries(positions.filter(([, position]) => position !== undefined)) };
  const unset = (['log_older', 'log_older_first'] as const).filter((name) => state[name] === undefined);
  await context.db.collection('import_sources').patch({ id }, { set, unset }, { insertIfMissing: state });
}

/** Hours whose sums must be recomputed. */
export async function markHours({ context }: ImportJob, times: readonly number[]): Promise<void> {
  const hours = [...new Set(times.map(hourOf))];
  const now = context.now();
  await context.db.write(
    hours.map((hour): Write => ({ insert: { id: `import:${hour}`, hour, marked_at: now }, into: 'log_folds', ignoreConflict: true })),
  );
}

/** Draws all ids up to the greatest one of the source, so that new records follow them. @returns false if they cannot be used */
export async function reserveSourceIds<Kind extends DraftKind>(job: ImportJob, target: Target<Kind>): Promise<boolean> {
  const greatest = await job.program.greatestId(target.kind);
  if (greatest === null || greatest > greatestSourceId) return false;
  for (let last = 0; last < greatest;) last = (await target.nextIds(job, Math.min(idsAtOnce, greatest - last))).at(-1) ?? greatest;
  return true;
}
