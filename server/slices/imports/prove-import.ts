// Compares what is here with the source after an import: counts, sums, books, and the records that the rows point at.
import { createHash } from 'node:crypto';
import { type ImportOptions, type ImportProof, type ImportReport, importSums } from '#shared/imports.ts';
import type { AppContext } from '#server/context.ts';
import { audit } from '#server/money/audit.ts';
import { rowIds } from './import-job.ts';
import type { DraftKind } from './mapped-row.ts';
import type { ImportProgram, SumName } from './program.ts';
import { openingRef } from './run-stage.ts';
import { channelTarget, codeTarget, orderTarget, taskTarget } from './targets/other-targets.ts';
import { tokenTarget } from './targets/token-target.ts';
import { userTarget } from './targets/user-target.ts';

const pageSize = 500;

interface ProofRequest {
  program: ImportProgram;
  options: ImportOptions;
  /** Of the run that has just ended. */
  report: ImportReport;
}

/** Sums of the source are its engine's; those here are of the ledger and of the marks of rows. */
export async function proveImport(context: AppContext, { program, options, report }: ProofRequest): Promise<ImportProof> {
  const { db, now } = context;
  const state = await db.collection('import_sources').get(program.identity);
  const totals = await program.totals({ first: state?.log_first, last: state?.log_last });
  const leftOf = new Map(report.counts.map(({ kind, left }) => [kind as string, left]));
  const counts: ImportProof['counts'] = [];
  for (const kind of ['user', 'token', 'channel', 'code', 'order', 'task'] as const) {
    const here = await countRows(context, program.identity, kind);
    counts.push(compared(kind, { source: totals.counts[kind], here, left: leftOf.get(kind) ?? 0 }));
  }
  const hasLog = options.log_days > 0 && state?.log_first !== undefined;
  if (hasLog) counts.push(compared('log', { source: totals.counts.log, here: state.log_count, left: state.log_left }));
  const here = await sumsHere(context, program.identity, state?.log_quota ?? 0);
  const sums = importSums
    .filter((name) => totals.sums[name] !== undefined && (name !== 'log_charged' || hasLog))
    .map((name) => compared(name, { source: totals.sums[name] ?? 0, here: here[name], left: leftInSum(report, name) }, totals.slack));
  const books = await audit(db, now);
  const records = await checkRecords(context, program.identity);
  const openings = await countOpenings(context, program.identity);
  const comparison = {
    counts,
    sums,
    accounts: books.users + books.tokens,
    unbalanced: books.findings.length,
    ...openings,
    ...records,
    is_complete:
      [...counts, ...sums].every(({ is_equal: isEqual }) => isEqual) &&
      books.findings.length === 0 &&
      openings.without_opening === 0 &&
      records.missing === 0,
    checked_at: Math.floor(now() / 1000),
  };
  const checksum = createHash('sha256')
    .update(JSON.stringify([report, comparison]))
    .digest('hex');
  return { ...comparison, checksum };
}

function compared(
  name: string,
  { source, here, left }: { source: number; here: number; left: number },
  slack = 0,
): ImportProof['counts'][number] {
  return { name, source, here, left, is_equal: Math.abs(source - here - left) <= slack };
}

/** Deleted rows are in no sum of the source. What the log charged is counted as far as it is here. */
function leftInSum({ money }: ImportReport, name: SumName): number {
  return name === 'log_charged' ? 0 : (money.find((sum) => sum.name === name)?.left ?? 0);
}

async function sumsHere(context: AppContext, source: string, logQuota: number): Promise<Record<SumName, number>> {
  const sums = async (kind: DraftKind) => {
    const [row] = await context.db
      .collection('import_rows')
      .group({ filter: rowIds(source, kind), by: [], sum: { amount: 'amount', used: 'used' } });
    return { amount: Number(row?.['amount'] ?? 0), used: Number(row?.['used'] ?? 0) };
  };
  const entered = async (account: 'user' | 'token') => {
    const first = openingRef(source, account, '');
    const filter = { and: [{ ref: { gte: first } }, { ref: { lt: `${first.slice(0, -1)};` } }], state: 'done' as const };
    const [row] = await context.db.collection('ledger').group({ filter, by: [], sum: { amount: 'amount', used: 'used' } });
    return { amount: Number(row?.['amount'] ?? 0), used: Number(row?.['used'] ?? 0) };
  };
  const [users, tokens, channels, codes] = [await entered('user'), await entered('token'), await sums('channel'), await sums('code')];
  return {
    user_balance: users.amount,
    user_used: users.used,
    token_balance: tokens.amount,
    token_used: tokens.used,
    channel_used: channels.used,
    code_unused: codes.amount,
    log_charged: logQuota,
  };
}

async function countRows({ db }: AppContext, source: string, kind: DraftKind): Promise<number> {
  const [row] = await db.collection('import_rows').group({ filter: rowIds(source, kind), by: [] });
  return row?.count ?? 0;
}

async function countOpenings({ db }: AppContext, source: string): Promise<{ openings: number; without_opening: number }> {
  let [openings, without] = [0, 0];
  for (const account of ['user', 'token'] as const) {
    const prefix = rowIds(source, account).and[0].id.gte;
    let page: string[] = [];
    const look = async () => {
      const refs = page.map((oldId) => openingRef(source, account, oldId));
      const found = refs.length === 0 ? 0 : await db.collection('ledger').count({ ref: { in: refs } });
      openings += found;
      without += page.length - found;
      page = [];
    };
    for await (const { id } of db.collection('import_rows').each(rowIds(source, account))) {
      page.push(id.slice(prefix.length));
      if (page.length === pageSize) await look();
    }
    await look();
  }
  return { openings, without_opening: without };
}

const targets = {
  user: userTarget,
  token: tokenTarget,
  channel: channelTarget,
  code: codeTarget,
  order: orderTarget,
  task: taskTarget,
} as const;

/** Channels that were deleted here since are not missing. */
async function checkRecords(context: AppContext, source: string): Promise<{ records: number; missing: number }> {
  let [records, missing] = [0, 0];
  for (const [kind, target] of Object.entries(targets)) {
    let page: number[] = [];
    const look = async () => {
      const found = await target.existing({ context }, page);
      const lost = page.filter((id) => !found.has(id));
      const deleted =
        kind === 'channel' && lost.length > 0 ? await context.db.collection('deleted_channels').find({ id: { in: lost } }) : [];
      records += page.length;
      missing += lost.length - deleted.length;
      page = [];
    };
    for await (const { new_id: id } of context.db.collection('import_rows').each(rowIds(source, kind))) {
      page.push(id);
      if (page.length === pageSize) await look();
    }
    await look();
  }
  return { records, missing };
}
