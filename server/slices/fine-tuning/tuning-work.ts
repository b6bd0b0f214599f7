// Fine-tuning jobs as prepaid work: their cost, their model and metrics, and the log row about their end.
import { ownerFields, ownerOfRecord } from '#server/tokens/object-owner.ts';
import { product } from '#shared/decimal.ts';
import type { ChargeLine } from '#shared/log-event.ts';
import { quotaLogText } from '#shared/quota.ts';
import type { AppContext } from '#server/context.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import type { TuningJobRecord } from '#server/db/records/tuning-job.ts';
import { adjusted, termsOfEvent } from '#server/money/charge-lines.ts';
import type { QuotedPrice } from '#server/money/quote.ts';
import { longestRetention, tuningResultsPurpose } from '#server/objects/file-store.ts';
import { channelOf, deleteAtProvider, type Requesting } from '#server/objects/upstream-files.ts';
import type { RemovedInput, SettledWork, WorkKind } from '#server/work/work-kind.ts';
import { sizeThere } from './upstream-jobs.ts';

/** Time for which an ended job is listed. */
const retentionMs = 90 * 24 * 3600 * 1000;
/** Maximum cost relative to the prepayment: examples may have been undercounted, but only so far. */
const mostExcess = 2;

export const tuningWork: WorkKind<TuningJobRecord> = {
  name: 'tuning',
  refundKind: 'tuning_refund',
  retentionMs,
  records: (db) => db.collection('tuning_jobs'),
  failed: (now) => ({ status: 'failed', finished_at: now }),
  endedAt: ({ finished_at: at }) => at,
  async deliver(context, job) {
    await storeModel(context, job);
    await storeMetrics(context, job);
  },
  describeEnd,
  removeInput,
  looksOnAfter: ({ lacks_checkpoints: lacks }) => (lacks === true ? 0 : undefined),
};

/** Cost by the provider's final report. */
export function costOf(context: Pick<AppContext, 'quotes' | 'log'>, job: TuningJobRecord): number {
  const { reserved, id } = job;
  const quoted: QuotedPrice = JSON.parse(job.quoted);
  const cost = context.quotes.charge(quoted, { promptTokens: chargedTokens(job).tokens, completionTokens: 0 });
  const most = reserved * mostExcess;
  if (cost > most) context.log.error({ job: id, cost, most }, 'a provider reports that a fine-tuning job has used more than it can');
  return Math.min(cost, most);
}

/** Tokens that are charged. Failed jobs are free at the provider. */
function chargedTokens({ status, trained_tokens: reported, trained_by_steps: isBySteps, tokens, epochs }: TuningJobRecord): {
  tokens: number;
  source: 'upstream' | 'estimated';
} {
  if (status === 'failed') return { tokens: 0, source: 'upstream' };
  if (reported >= 0) return { tokens: reported, source: isBySteps === true ? 'estimated' : 'upstream' };
  return { tokens: status === 'succeeded' ? tokens * epochs : 0, source: 'estimated' };
}

/** Deletes a job's input files at the provider, where they also expire. */
async function removeInput(context: Requesting, job: TuningJobRecord): Promise<RemovedInput> {
  let removed: RemovedInput = 'gone';
  for (const upstream_id of [job.upstream_training, job.upstream_validation])
    if (upstream_id !== '' && (await deleteAtProvider(context, { ...job, upstream_id })) !== 'gone') removed = 'left';
  return removed;
}

function describeEnd(
  { settings }: AppContext,
  job: TuningJobRecord,
  { due, order }: SettledWork,
): ReturnType<WorkKind<TuningJobRecord>['describeEnd']> {
  const display = { inCurrency: settings.get('DisplayInCurrencyEnabled'), quotaPerUnit: settings.get('QuotaPerUnit') };
  const { id, model, status } = job;
  const { tokens, source } = chargedTokens(job);
  const cost = job.reserved - due;
  const quoted: QuotedPrice = JSON.parse(job.quoted);
  return {
    content: `微调任务 ${id} 已结束（${status}）：训练 ${tokens} 个 token${source === 'estimated' ? '（估算）' : ''}，计费 ${quotaLogText(cost, display)}，${due < 0 ? '补扣' : '退回'} ${quotaLogText(Math.abs(due), display)}`,
    event: {
      code: 'tuning_settled',
      job: id,
      model,
      tuned: status === 'succeeded' ? job.tuned_model : '',
      status,
      tokens,
      source,
      cost,
      amount: due,
      ...(order === undefined ? {} : { order }),
      lines: adjusted(trainedLines(quoted, tokens, source), cost, quoted),
      ...termsOfEvent(quoted),
    },
  };
}

function trainedLines({ price, quotaPerUnit }: QuotedPrice, tokens: number, source: 'upstream' | 'estimated'): ChargeLine[] {
  if (tokens === 0 || price.kind === 'call') return [];
  return [{ part: 'trained', quantity: tokens, price: product(price.modelRatio, 1_000_000 / quotaPerUnit), per: 'million', source }];
}

/** Stores the fine-tuned model for the owner. */
async function storeModel(context: AppContext, job: TuningJobRecord): Promise<void> {
  if (job.status !== 'succeeded' || job.upstream_model === '') return;
  const record = {
    id: job.tuned_model,
    ...ownerFields(ownerOfRecord(job)),
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
async function storeMetrics(context: AppContext, job: TuningJobRecord): Promise<void> {
  const channel = channelOf(context, job);
  const created = Math.floor(context.now() / 1000);
  const files: FileRecord[] = [];
  for (const [index, upstream] of job.upstream_results.entries()) {
    const id = job.result_files[index];
    if (id === undefined || channel === null) continue;
    files.push({
      id,
      ...ownerFields(ownerOfRecord(job)),
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
