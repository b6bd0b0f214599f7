// Presenter of batches.
import type { BatchRecord } from '#server/db/records/batch.ts';
import { isTunedModelId } from '#server/model-facts/tuned-model-id.ts';

/** Default time between a batch's creation and its expiry, in seconds. */
const windowSeconds = 24 * 3600;
const endings: ReadonlySet<string> = new Set(['completed', 'expired', 'cancelled']);

/** https://platform.openai.com/docs/api-reference/batch/object */
export function presentBatch(record: BatchRecord): Record<string, unknown> {
  const hasEnded = record.state === 'ended';
  const timeOf = (at: number) => (at === 0 ? null : at);
  const { prompt_tokens: input, completion_tokens: output } = record;
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: record.cached_tokens },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: record.reasoning_tokens },
    total_tokens: input + output,
  };
  return {
    id: record.id,
    object: 'batch',
    endpoint: record.endpoint,
    model: record.model,
    errors: record.errors === '' ? null : { object: 'list', data: JSON.parse(namedHere(record, record.errors)) },
    input_file_id: record.input_file,
    completion_window: record.completion_window,
    // Files are available once the batch is settled.
    status: hasEnded || !endings.has(record.status) ? record.status : 'finalizing',
    output_file_id: hasEnded && record.upstream_output !== '' ? record.output_file : null,
    error_file_id: hasEnded && record.upstream_error !== '' ? record.error_file : null,
    created_at: record.created_at,
    in_progress_at: timeOf(record.in_progress_at),
    expires_at: record.expires_at === 0 ? record.created_at + windowSeconds : record.expires_at,
    finalizing_at: timeOf(record.finalizing_at),
    completed_at: hasEnded ? timeOf(record.completed_at) : null,
    failed_at: timeOf(record.failed_at),
    expired_at: hasEnded ? timeOf(record.expired_at) : null,
    cancelling_at: timeOf(record.cancelling_at),
    cancelled_at: hasEnded ? timeOf(record.cancelled_at) : null,
    request_counts: { total: record.requests, completed: record.completed, failed: record.failed },
    ...(hasEnded ? { usage } : {}),
    metadata: record.metadata === '' ? null : JSON.parse(record.metadata),
  };
}

/** @param text JSON */
function namedHere({ model, upstream_model: upstream }: BatchRecord, text: string): string {
  return upstream !== '' && isTunedModelId(model) ? text.replaceAll(upstream, () => JSON.stringify(model).slice(1, -1)) : text;
}

const processing: Readonly<Record<string, string>> = { cancelling: 'canceling' };

/**
 * https://platform.claude.com/docs/en/api/retrieving-message-batches
 * @param site base URL of the results
 */
export function presentMessageBatch(record: BatchRecord, site: string): Record<string, unknown> {
  const hasEnded = record.state === 'ended';
  const timeOf = (at: number) => (at === 0 ? null : new Date(at * 1000).toISOString());
  const { id, requests, completed, failed, cancelled, expired, created_at: created } = record;
  const done = completed + failed + cancelled + expired;
  return {
    id,
    type: 'message_batch',
    // Results are available once the batch is settled.
    processing_status: hasEnded ? 'ended' : (processing[record.status] ?? 'in_progress'),
    request_counts: {
      processing: hasEnded ? 0 : Math.max(0, requests - done),
      succeeded: completed,
      errored: failed,
      canceled: cancelled,
      expired,
    },
    created_at: timeOf(created),
    expires_at: timeOf(record.expires_at === 0 ? created + windowSeconds : record.expires_at),
    ended_at: hasEnded ? timeOf(record.ended_at ?? created) : null,
    cancel_initiated_at: timeOf(record.cancelling_at),
    archived_at: null,
    results_url: hasEnded && record.upstream_id !== '' ? `${site}/v1/messages/batches/${id}/results` : null,
  };
}
