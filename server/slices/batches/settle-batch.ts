// Refunds the unused part of a batch's prepayment exactly once. A single write that records the cost ends a batch; the
// refund is due until it is confirmed. Retries are harmless: ledger entries, the log row and the files have ids derived
// from the batch.
import { LogType } from '#shared/logs.ts';
import type { ChargeLine } from '#shared/log-event.ts';
import { quotaLogText } from '#shared/quota.ts';
import type { AppContext } from '#server/context.ts';
import type { BatchRecord } from '#server/db/records/batch.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import { resultsPurpose } from '#server/slices/files/file-store.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { adjusted, termsOfEvent } from '#server/money/charge-lines.ts';
import type { QuotedPrice } from '#server/money/quote.ts';
import { refundUnused } from '#server/money/refund-unused.ts';
import { isTunedModelId } from '#server/model-facts/tuned-model-id.ts';
import { chargeOf } from '#server/tasks/task-charge.ts';
import { addChannelUse } from '#server/exchange/deleted-channels.ts';
import { formOf } from './batch-endpoints.ts';

/** Totals of the results. */
export type BatchSums = Pick<
  BatchRecord,
  | 'completed'
  | 'failed'
  | 'prompt_tokens'
  | 'cached_tokens'
  | 'completion_tokens'
  | 'reasoning_tokens'
  | 'output_bytes'
  | 'error_bytes'
  | 'cost'
  | 'lines'
>;

/** Time for which an ended batch is listed. */
export const retentionMs = 30 * 24 * 3600 * 1000;

/** Delay of a second look for a late charge, whose process may have ended before refunding it. */
const lateChargeMs = 3600 * 1000;

export const noResults: Omit<BatchSums, 'failed'> = {
  completed: 0,
  prompt_tokens: 0,
  cached_tokens: 0,
  completion_tokens: 0,
  reasoning_tokens: 0,
  output_bytes: 0,
  error_bytes: 0,
  cost: 0,
  lines: '',
};

/** Returns the batch with its charge resolved, or still `open`. */
export async function resolveBatchCharge({ db }: Pick<AppContext, 'db'>, batch: BatchRecord): Promise<BatchRecord> {
  if (batch.charge !== 'open') return batch;
  // In this order: a process whose books are closed has written all its rows before.
  const { state } = (await db.collection('processes').get(batch.process)) ?? { state: 'settled' };
  const { paid, isCertain } = await chargeOf(db, batch);
  if (paid === null ? state !== 'settled' : !isCertain) return batch;
  return noteCharge(db, batch, paid);
}

/** @param paid null if it was not charged and never will be */
export async function noteCharge(
  db: AppContext['db'],
  batch: BatchRecord,
  paid: { quota: number; token_quota: number } | null,
): Promise<BatchRecord> {
  const set: Partial<BatchRecord> =
    paid === null
      ? { charge: 'none', reserved: 0, token_reserved: 0 }
      : { charge: 'done', reserved: paid.quota, token_reserved: paid.token_quota };
  const noted = await db.collection('batches').patch({ id: batch.id, charge: 'open' }, { set });
  return noted ?? (await db.collection('batches').get(batch.id)) ?? batch;
}

/** The creator was declared dead and its charge written off, but the charge appeared later: refunds it in full. */
export async function returnLateCharge(
  context: AppContext,
  { id }: BatchRecord,
  paid: { quota: number; token_quota: number },
): Promise<void> {
  const batches = context.db.collection('batches');
  const set = {
    charge: 'done' as const,
    reserved: paid.quota,
    token_reserved: paid.token_quota,
    cost: 0,
    lines: '',
    poll_at: context.now(),
  };
  // In this order: states only advance.
  const creating = await batches.patch({ id, charge: 'none', state: 'creating' }, { set });
  if (creating !== null) {
    const failed = { status: 'failed' as const, failed_at: Math.floor(context.now() / 1000) };
    return concludeBatch(context, creating, { sums: { ...noResults, failed: 0 }, set: failed });
  }
  const over = await batches.patch({ id, charge: 'none', state: { in: ['settling', 'ended'] } }, { set: { ...set, state: 'settling' } });
  if (over !== null) await finishBatch(context, over);
}

/** Ends a batch: the first process to do so records the totals; the rest is refunded. */
export async function concludeBatch(
  context: AppContext,
  { id }: BatchRecord,
  { sums, set = {} }: { sums: BatchSums; set?: Partial<BatchRecord> },
): Promise<void> {
  const drawn = await context.db.nextId('logs');
  const concluded = await context.db
    .collection('batches')
    .patch(
      { id, state: { in: ['creating', 'running'] }, charge: { ne: 'open' } },
      { set: { ...set, ...sums, state: 'settling', log_id: drawn, poll_at: context.now() } },
    );
  if (concluded !== null) await finishBatch(context, concluded);
}

/** Returns false if it must be retried. */
export async function finishBatch(context: AppContext, batch: BatchRecord): Promise<boolean> {
  const wanted = batch.charge === 'done' ? batch.reserved - batch.cost : 0;
  const refOf = (account: string) => `batch:${batch.id}:refund:${account}`;
  const isDone = wanted === 0 ? true : await refundUnused(context, batch, { rest: wanted, kind: 'batch_refund', refOf });
  if (isDone === null) return false;
  const rest = isDone ? wanted : 0;
  if (!isDone)
    context.log.error(
      { batch: batch.id, quota: wanted },
      'what a batch did not use could not be given back, or what it used beyond not be taken',
    );
  if (batch.charge === 'done') await reportOf(context, batch, rest);
  await leaveFiles(context, batch);
  const ended = await context.db.collection('batches').patch(
    { id: batch.id, state: 'settling', charge: batch.charge },
    {
      set: {
        state: 'ended',
        ended_at: Math.floor(context.now() / 1000),
        poll_at: context.now() + (batch.charge === 'none' ? lateChargeMs : retentionMs),
      },
      unset: ['open_user_id'],
    },
  );
  if (ended === null) return true;
  // A figure for administrators, corrected once, by the process that ends the batch.
  if (rest !== 0) await addChannelUse(context.db, batch.channel_id, -rest);
  context.waitUntil(formOf(batch).release(context, batch));
  return true;
}

async function reportOf(context: AppContext, batch: BatchRecord, rest: number): Promise<void> {
  const { settings } = context;
  const display = { inCurrency: settings.get('DisplayInCurrencyEnabled'), quotaPerUnit: settings.get('QuotaPerUnit') };
  const charge = await context.db.collection('logs').first({ request_id: batch.request_id, type: LogType.consumption });
  const { id, model, requests, completed } = batch;
  const cost = batch.reserved - rest;
  await writeLog(context, {
    id: batch.log_id,
    user_id: batch.user_id,
    username: batch.username,
    type: LogType.system,
    token_id: batch.token_id,
    token_name: batch.token_name,
    model_name: model,
    channel_id: batch.channel_id,
    group: batch.group,
    request_id: batch.request_id,
    // A charge hidden from the list has no visible refund.
    ...(charge?.hidden === true || rest === 0 ? {} : { refunded: rest }),
    content: `批处理 ${id} 已结束：${requests} 个请求中 ${completed} 个已完成，计费 ${quotaLogText(cost, display)}，${rest < 0 ? '补扣' : '退回'} ${quotaLogText(Math.abs(rest), display)}`,
    event: {
      code: 'batch_settled',
      batch: id,
      model,
      requests,
      answered: completed,
      prompt_tokens: batch.prompt_tokens,
      completion_tokens: batch.completion_tokens,
      cost,
      amount: rest,
      ...(charge === null || charge.hidden === true ? {} : { order: charge.id }),
      ...linesIn(batch, cost),
    },
  });
}

/** If the results were not summed, only the total is reported. */
function linesIn({ quoted, lines = '' }: BatchRecord, cost: number) {
  const price: QuotedPrice = JSON.parse(quoted);
  const known: ChargeLine[] = lines === '' ? [] : JSON.parse(lines);
  return { lines: adjusted(known, cost, price), ...termsOfEvent(price) };
}

function namesOf({ model, upstream_model: upstream }: BatchRecord): Pick<FileRecord, 'asked_model' | 'upstream_model'> {
  if (model === upstream) return {};
  return { asked_model: model, ...(isTunedModelId(model) ? { upstream_model: upstream } : {}) };
}

/** Stores the results as files of the owner. */
async function leaveFiles(context: AppContext, batch: BatchRecord): Promise<void> {
  const created = Math.floor(context.now() / 1000);
  if (formOf(batch).leavesFiles !== true) return;
  const known = {
    user_id: batch.user_id,
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
