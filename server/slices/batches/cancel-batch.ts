// Cancels a batch.
import { AppError } from '#shared/errors.ts';
import type { BatchRecord } from '#server/db/records/batch.ts';
import { channelOf, errorOf } from '#server/objects/upstream-files.ts';
import type { RelayServices } from '#server/call/services.ts';
import { formOf } from './batch-endpoints.ts';
import { findBatch } from './batch-store.ts';

const cancellable: ReadonlySet<string> = new Set(['validating', 'in_progress', 'finalizing']);

/**
 * Requests completed until then are billed.
 * @throws {AppError} `batch_not_cancellable`, and the provider's
 */
export async function cancelBatch({ context }: RelayServices, batch: BatchRecord): Promise<BatchRecord> {
  const { id, state, status } = batch;
  if (status === 'cancelling') return batch;
  const channel = channelOf(context, batch);
  if (state !== 'running' || !cancellable.has(status) || channel === null) throw new AppError('batch_not_cancellable', { id, status });
  const answer = await formOf(batch).cancel(context, channel, batch.upstream_id);
  if ('failure' in answer) throw errorOf(context, answer.failure);
  // The job reads the results and ends the batch.
  const { status: reported = 'cancelling', ...set } = answer.reported.set;
  const changed = await context.db
    .collection('batches')
    .patch({ id, state: 'running' }, { set: { ...set, status: reported, poll_at: context.now() } });
  return changed ?? findBatch(context, { owner: { userId: batch.user_id }, form: batch.form, id });
}
