// Batches as prepaid work: their results, and the log row about their end.
import { ownerFields, ownerOfRecord } from '#server/tokens/object-owner.ts';
import type { ChargeLine } from '#shared/log-event.ts';
import { quotaLogText } from '#shared/quota.ts';
import type { AppContext } from '#server/context.ts';
import type { BatchRecord } from '#server/db/records/batch.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import { isTunedModelId } from '#server/model-facts/tuned-model-id.ts';
import { adjusted, termsOfEvent } from '#server/money/charge-lines.ts';
import type { QuotedPrice } from '#server/money/quote.ts';
import { resultsPurpose } from '#server/objects/file-store.ts';
import type { SettledWork, WorkKind } from '#server/work/work-kind.ts';
import { formOf } from './batch-endpoints.ts';
import { settleTokens } from './batch-limits.ts';

/** Totals of the results. */
export type BatchSums = Pick<
  BatchRecord,
  | 'completed'
  | 'failed'
  | 'prompt_tokens'
  | 'cached_tokens'
  | 'completion_tokens'
  | 'reasoning_tokens'
  | 'used_tokens'
  | 'output_bytes'
  | 'error_bytes'
  | 'cost'
  | 'lines'
>;

export const noResults: BatchSums = {
  completed: 0,
  failed: 0,
  prompt_tokens: 0,
  cached_tokens: 0,
  completion_tokens: 0,
  reasoning_tokens: 0,
  used_tokens: 0,
  output_bytes: 0,
  error_bytes: 0,
  cost: 0,
  lines: '',
};

export const batchWork: WorkKind<BatchRecord> = {
  name: 'batch',
  refundKind: 'batch_refund',
  retentionMs: 30 * 24 * 3600 * 1000,
  records: (db) => db.collection('batches'),
  failed: (now) => ({ ...noResults, status: 'failed', failed_at: now }),
  free: { lines: '' },
  ended: (now) => ({ ended_at: now, counted: '' }),
  settleLimits: settleTokens,
  endedAt: ({ ended_at: at = 0 }) => at,
  deliver: storeResultFiles,
  describeEnd,
  removeInput: (context, batch) => formOf(batch).release(context, batch),
};

function describeEnd(
  { settings }: AppContext,
  batch: BatchRecord,
  { due, order }: SettledWork,
): ReturnType<WorkKind<BatchRecord>['describeEnd']> {
  const display = { inCurrency: settings.get('DisplayInCurrencyEnabled'), quotaPerUnit: settings.get('QuotaPerUnit') };
  const { id, model, requests, completed } = batch;
  const cost = batch.reserved - due;
  return {
    content: `批处理 ${id} 已结束：${requests} 个请求中 ${completed} 个已完成，计费 ${quotaLogText(cost, display)}，${due < 0 ? '补扣' : '退回'} ${quotaLogText(Math.abs(due), display)}`,
    event: {
      code: 'batch_settled',
      batch: id,
      model,
      requests,
      answered: completed,
      prompt_tokens: batch.prompt_tokens,
      completion_tokens: batch.completion_tokens,
      cost,
      amount: due,
      order,
      ...linesIn(batch, cost),
    },
  };
}

/** If the results were not summed, only the total is reported. */
function linesIn({ quoted, lines = '' }: BatchRecord, cost: number) {
  const price: QuotedPrice = JSON.parse(quoted);
  const known: ChargeLine[] = lines === '' ? [] : JSON.parse(lines);
  return { lines: adjusted(known, cost, price), ...termsOfEvent(price) };
}

/** Stores the results as files of the owner. */
async function storeResultFiles(context: AppContext, batch: BatchRecord): Promise<void> {
  const created = Math.floor(context.now() / 1000);
  if (formOf(batch).leavesFiles !== true) return;
  const known = {
    ...ownerFields(ownerOfRecord(batch)),
    channel_id: batch.channel_id,
    key: batch.key,
    purpose: resultsPurpose,
    created_at: created,
    expires_at: created + batch.output_seconds,
    state: 'stored' as const,
    ...namesOf(batch),
  };
  const files: FileRecord[] = [];
  const { output_file: output, error_file: error, upstream_output: toOutput, upstream_error: toError } = batch;
  if (toOutput !== '')
    files.push({ ...known, id: output, upstream_id: toOutput, bytes: batch.output_bytes, filename: `${batch.id}_output.jsonl` });
  if (toError !== '')
    files.push({ ...known, id: error, upstream_id: toError, bytes: batch.error_bytes, filename: `${batch.id}_error.jsonl` });
  if (files.length > 0) await context.db.write(files.map((insert) => ({ insert, into: 'files' as const, ignoreConflict: true })));
}

function namesOf({ model, upstream_model: upstream }: BatchRecord): Pick<FileRecord, 'asked_model' | 'upstream_model'> {
  if (model === upstream) return {};
  return { asked_model: model, ...(isTunedModelId(model) ? { upstream_model: upstream } : {}) };
}
