// Mistral's batches: OpenAI's files, and jobs of one model in its own format.
// https://docs.mistral.ai/api/endpoint/batch
import type { BatchRecord } from '#server/db/records/batch.ts';
import { requestAccount, type Requesting } from '#server/objects/upstream-files.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { queryBatches, requestCount } from './query-batches.ts';
import type { BatchRequest, ReportedBatch } from './batch-format.ts';
import { errorsOf, idOf, secondsOf } from './provider-fields.ts';

const path = '/batch/jobs';
/** Hours, as promised to callers. */
const window = 24;
const statuses: Readonly<Record<string, string>> = {
  QUEUED: 'validating',
  RUNNING: 'in_progress',
  SUCCESS: 'completed',
  FAILED: 'failed',
  TIMEOUT_EXCEEDED: 'expired',
  CANCELLATION_REQUESTED: 'cancelling',
  CANCELLED: 'cancelled',
};
const ends: Readonly<Record<string, 'completed_at' | 'failed_at' | 'expired_at' | 'cancelled_at'>> = {
  completed: 'completed_at',
  failed: 'failed_at',
  expired: 'expired_at',
  cancelled: 'cancelled_at',
};

export function createJob(context: Requesting, channel: PreparedChannel, record: BatchRecord): Promise<BatchRequest> {
  const endpoint = channel.provider?.account?.endpoints[record.endpoint] ?? record.endpoint;
  const body = { input_files: [record.upstream_input], endpoint, model: record.upstream_model, timeout_hours: window };
  return queryBatches(context, channel, { method: 'POST', path, body: Buffer.from(JSON.stringify(body)), readReported });
}

export function readJob(context: Requesting, channel: PreparedChannel, id: string): Promise<BatchRequest> {
  return queryBatches(context, channel, { method: 'GET', path: `${path}/${encodeURIComponent(id)}`, readReported });
}

export function cancelJob(context: Requesting, channel: PreparedChannel, id: string): Promise<BatchRequest> {
  return queryBatches(context, channel, { method: 'POST', path: `${path}/${encodeURIComponent(id)}/cancel`, readReported });
}

const pageSize = 100;
const mostPages = 100;

/** As `BatchFormat.find`; searches all jobs, because their order is not guaranteed. */
export async function findJob(
  context: Requesting,
  channel: PreparedChannel,
  record: BatchRecord,
): Promise<ReportedBatch | null | undefined> {
  for (let page = 0; page < mostPages; page += 1) {
    const received = await requestAccount(context, channel, { method: 'GET', path: `${path}?page=${page}&page_size=${pageSize}` });
    if (received.kind === 'stream') received.stream.abort();
    const list = received.kind === 'whole' ? parseObject(received.body.toString('utf8')) : null;
    const total: unknown = list?.['total'];
    // A page without jobs omits the list.
    const data: unknown = list?.['data'] ?? [];
    if (list === null || typeof total !== 'number' || !Array.isArray(data)) return undefined;
    for (const item of data) {
      const reported = isObject(item) ? readReported(item) : null;
      if (reported?.inputFiles.includes(record.upstream_input) === true) return reported;
    }
    if (data.length === 0 || (page + 1) * pageSize >= total) return null;
  }
  return undefined;
}

function readReported(object: Readonly<Record<string, unknown>>): (ReportedBatch & { inputFiles: readonly unknown[] }) | null {
  const { status: named, input_files: inputs, errors } = object;
  const id = idOf(object['id']);
  const status = typeof named === 'string' && Object.hasOwn(statuses, named) ? statuses[named] : undefined;
  if (id === '' || status === undefined) return null;
  const set: Partial<BatchRecord> = {
    status,
    upstream_output: idOf(object['output_file']),
    upstream_error: idOf(object['error_file']),
    completed: requestCount(object['succeeded_requests']),
    failed: requestCount(object['failed_requests']),
  };
  if (secondsOf(object['started_at']) > 0) set.in_progress_at = secondsOf(object['started_at']);
  const end = ends[status];
  if (end !== undefined && secondsOf(object['completed_at']) > 0) set[end] = secondsOf(object['completed_at']);
  const reported = errorsOf({ data: errors });
  if (reported !== '') set.errors = reported;
  return { id, set, inputFiles: Array.isArray(inputs) ? inputs : [] };
}
