// Refunds the unused part of a job's prepayment exactly once. A single write that records the cost ends a job; the
// refund is due until it is confirmed. Retries are harmless: ledger entries, the log row, the files and the model have
// ids derived from the job.
import { product } from '#shared/decimal.ts';
import type { ChargeLine } from '#shared/log-event.ts';
import { LogType } from '#shared/logs.ts';
import { quotaLogText } from '#shared/quota.ts';
import type { AppContext } from '#server/context.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import type { TuningJobRecord } from '#server/db/records/tuning-job.ts';
import { longestRetention, tuningResultsPurpose } from '#server/slices/files/file-store.ts';
import { channelOf } from '#server/slices/files/upstream-files.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { adjusted, termsOfEvent } from '#server/money/charge-lines.ts';
import type { QuotedPrice } from '#server/money/quote.ts';
import { refundUnused } from '#server/money/refund-unused.ts';
import { chargeOf } from '#server/tasks/task-charge.ts';
import { addChannelUse } from '#server/exchange/deleted-channels.ts';
import { deleteProviderFiles } from './delete-provider-files.ts';
import { sizeThere } from './upstream-jobs.ts';

/** Time for which an ended job is listed. */
export const retentionMs = 90 * 24 * 3600 * 1000;
/** Delay of a second look for a late charge, whose process may have ended before refunding it. */
const lateChargeMs = 3600 * 1000;
/** Maximum cost relative to the prepayment: examples may have been undercounted, but only so far. */
const mostExcess = 2;
const idLength = 24;
/** Milliseconds for deleting files at the provider. */
const lettingGoMs = 5_000;

/** Cost by the provider's final report. */
export function costOf(context: Pick<AppContext, 'quotes' | 'log'>, job: TuningJobRecord): number {
  const { reserved, id } = job;
  const quoted: QuotedPrice = JSON.parse(job.quoted);
  const cost = context.quotes.charge(quoted, { promptTokens: countedOf(job).tokens, completionTokens: 0 });
  const most = reserved * mostExcess;
  if (cost > most) context.log.error({ job: id, cost, most }, 'a provider tells that a training has used more than it can');
  return Math.min(cost, most);
}

/** Tokens that are charged. Failed jobs are free at the provider. */
function countedOf({ status, trained_tokens: reported, trained_by_steps: isBySteps, tokens, epochs }: TuningJobRecord): {
  tokens: number;
  source: 'upstream' | 'estimated';
} {
  if (status === 'failed') return { tokens: 0, source: 'upstream' };
  if (reported >= 0) return { tokens: reported, source: isBySteps === true ? 'estimated' : 'upstream' };
  return { tokens: status === 'succeeded' ? tokens * epochs : 0, source: 'estimated' };
}

/** Returns the job with its charge resolved, or still `open`. */
export async function resolveJobCharge({ db }: Pick<AppContext, 'db'>, job: TuningJobRecord): Promise<TuningJobRecord> {
  if (job.charge !== 'open') return job;
  // In this order: a process whose books are closed has written all its rows before.
  const { state } = (await db.collection('processes').get(job.process)) ?? { state: 'settled' };
  const { paid, isCertain } = await chargeOf(db, job);
  if (paid === null ? state !== 'settled' : !isCertain) return job;
  return noteCharge(db, job, paid);
}

/** @param paid null if it was not charged and never will be */
export async function noteCharge(
  db: AppContext['db'],
  job: TuningJobRecord,
  paid: { quota: number; token_quota: number } | null,
): Promise<TuningJobRecord> {
  const set: Partial<TuningJobRecord> =
    paid === null
      ? { charge: 'none', reserved: 0, token_reserved: 0 }
      : { charge: 'done', reserved: paid.quota, token_reserved: paid.token_quota };
  const noted = await db.collection('tuning_jobs').patch({ id: job.id, charge: 'open' }, { set });
  return noted ?? (await db.collection('tuning_jobs').get(job.id)) ?? job;
}

/** The creator was declared dead and its charge written off, but the charge appeared later: refunds it in full. */
export async function returnLateCharge(
  context: AppContext,
  { id }: TuningJobRecord,
  paid: { quota: number; token_quota: number },
): Promise<void> {
  const jobs = context.db.collection('tuning_jobs');
  const set = { charge: 'done' as const, reserved: paid.quota, token_reserved: paid.token_quota, cost: 0, poll_at: context.now() };
  // In this order: states only advance.
  const creating = await jobs.patch({ id, charge: 'none', state: 'creating' }, { set });
  if (creating !== null)
    return concludeJob(context, creating, { cost: 0, set: { status: 'failed', finished_at: Math.floor(context.now() / 1000) } });
  const over = await jobs.patch({ id, charge: 'none', state: { in: ['settling', 'ended'] } }, { set: { ...set, state: 'settling' } });
  if (over !== null) await finishJob(context, over);
}

/** Ends a job: the first process to do so records the cost; the rest is refunded. */
export async function concludeJob(
  context: AppContext,
  { id, upstream_results: before }: TuningJobRecord,
  { cost, set = {} }: { cost: number; set?: Partial<TuningJobRecord> },
): Promise<void> {
  const drawn = await context.db.nextId('logs');
  const results = (set.upstream_results ?? before).map(() => `file-${context.randomText(idLength)}`);
  const concluded = await context.db
    .collection('tuning_jobs')
    .patch(
      { id, state: { in: ['creating', 'running'] }, charge: { ne: 'open' } },
      { set: { ...set, cost, result_files: results, state: 'settling', log_id: drawn, poll_at: context.now() } },
    );
  if (concluded !== null) await finishJob(context, concluded);
}

/** Returns false if it must be retried. */
export async function finishJob(context: AppContext, job: TuningJobRecord): Promise<boolean> {
  const wanted = job.charge === 'done' ? job.reserved - job.cost : 0;
  const refOf = (account: string) => `tuning:${job.id}:refund:${account}`;
  const isDone = wanted === 0 ? true : await refundUnused(context, job, { rest: wanted, kind: 'tuning_refund', refOf });
  if (isDone === null) return false;
  const rest = isDone ? wanted : 0;
  if (!isDone)
    context.log.error(
      { job: job.id, quota: wanted },
      'what a training did not use could not be given back, or what it used beyond not be taken',
    );
  await leaveModel(context, job);
  await leaveFiles(context, job);
  if (job.charge === 'done') await reportOf(context, job, rest);
  // Files that are not deleted now expire at the provider.
  await deleteProviderFiles({ ...context, answerBy: performance.now() + lettingGoMs }, job);
  const ended = await context.db.collection('tuning_jobs').patch(
    { id: job.id, state: 'settling', charge: job.charge },
    {
      set: {
        state: 'ended',
        poll_at: context.now() + (job.lacks_checkpoints === true ? 0 : job.charge === 'none' ? lateChargeMs : retentionMs),
      },
      unset: ['open_user_id'],
    },
  );
  if (ended === null) return true;
  // A figure for administrators, corrected once, by the process that ends the job.
  if (rest !== 0) await addChannelUse(context.db, job.channel_id, -rest);
  return true;
}

async function reportOf(context: AppContext, job: TuningJobRecord, rest: number): Promise<void> {
  const { settings } = context;
  const display = { inCurrency: settings.get('DisplayInCurrencyEnabled'), quotaPerUnit: settings.get('QuotaPerUnit') };
  const charge = await context.db.collection('logs').first({ request_id: job.request_id, type: LogType.consumption });
  const { id, model, status } = job;
  const { tokens, source } = countedOf(job);
  const cost = job.reserved - rest;
  const quoted: QuotedPrice = JSON.parse(job.quoted);
  await writeLog(context, {
    id: job.log_id,
    user_id: job.user_id,
    username: job.username,
    type: LogType.system,
    token_id: job.token_id,
    token_name: job.token_name,
    model_name: model,
    channel_id: job.channel_id,
    group: job.group,
    request_id: job.request_id,
    // A charge hidden from the list has no visible refund.
    ...(charge?.hidden === true || rest === 0 ? {} : { refunded: rest }),
    content: `微调任务 ${id} 已结束（${status}）：训练 ${tokens} 个 token${source === 'estimated' ? '（估算）' : ''}，计费 ${quotaLogText(cost, display)}，${rest < 0 ? '补扣' : '退回'} ${quotaLogText(Math.abs(rest), display)}`,
    event: {
      code: 'tuning_settled',
      job: id,
      model,
      tuned: status === 'succeeded' ? job.tuned_model : '',
      status,
      tokens,
      source,
      cost,
      amount: rest,
      ...(charge === null || charge.hidden === true ? {} : { order: charge.id }),
      lines: adjusted(trainedLines(quoted, tokens, source), cost, quoted),
      ...termsOfEvent(quoted),
    },
  });
}

function trainedLines({ price, quotaPerUnit }: QuotedPrice, tokens: number, source: 'upstream' | 'estimated'): ChargeLine[] {
  if (tokens === 0 || price.kind === 'call') return [];
  return [{ part: 'trained', quantity: tokens, price: product(price.modelRatio, 1_000_000 / quotaPerUnit), per: 'million', source }];
}

/** Stores the fine-tuned model for the owner. */
async function leaveModel(context: AppContext, job: TuningJobRecord): Promise<void> {
  if (job.status !== 'succeeded' || job.upstream_model === '') return;
  const record = {
    id: job.tuned_model,
    user_id: job.user_id,
    job_id: job.id,
    channel_id: job.channel_id,
    key: job.key,
    base: job.base,
    upstream_model: job.upstream_model,
    checkpoints: job.checkpoints,
    created_at: Math.floor(context.now() / 1000),
    state: 'ready' as const,
  };
  await context.db.write([{ insert: record, into: 'tuned_models', ignoreConflict: true }]);
}

/** Stores the training metrics as files of the owner. */
async function leaveFiles(context: AppContext, job: TuningJobRecord): Promise<void> {
  const channel = channelOf(context, job);
  const created = Math.floor(context.now() / 1000);
  const files: FileRecord[] = [];
  for (const [index, upstream] of job.upstream_results.entries()) {
    const id = job.result_files[index];
    if (id === undefined || channel === null) continue;
    files.push({
      id,
      user_id: job.user_id,
      channel_id: job.channel_id,
      key: job.key,
      upstream_id: upstream,
      filename: `${job.id}_metrics_${index}.csv`,
      purpose: tuningResultsPurpose,
      bytes: await sizeThere(context, channel, upstream),
      created_at: created,
      expires_at: created + longestRetention(context),
      state: 'stored',
    });
  }
  if (files.length > 0) await context.db.write(files.map((insert) => ({ insert, into: 'files' as const, ignoreConflict: true })));
}
