// OpenAI's batches: requests and results are files. https://platform.openai.com/docs/api-reference/batch
import type { BatchRecord } from '#server/db/records/batch.ts';
import { batchPurpose } from '#server/objects/file-store.ts';
import {
  deleteAtProvider,
  readAtProvider,
  requestAccount,
  type Requesting,
  secondsThere,
  sendFile,
} from '#server/objects/upstream-files.ts';
import { restored } from '#server/objects/restored-lines.ts';
import { MultipartFile } from '#server/framing/multipart.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { isTunedModelId } from '#server/model-facts/tuned-model-id.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { queryBatches, requestCount } from './query-batches.ts';
import type { BatchRequest, BatchFormat, ReportedBatch } from './batch-format.ts';
import { cancelJob, createJob, findJob, readJob } from './mistral-jobs.ts';
import { errorsOf, idOf, secondsOf } from './provider-fields.ts';

export const openaiBatches: BatchFormat = {
  name: 'openai',
  // Batches of images, videos and moderations are not supported.
  paths: ['/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/responses'],
  names: /^[^\p{Cc}]{1,512}$/u,
  fileField: 'input_file_id',
  leavesFiles: true,
  writeRequest({ name, path, body, isBare }) {
    if (isBare) return Buffer.concat([Buffer.from(`{"custom_id":${JSON.stringify(name)},"body":`), body, lineEnd]);
    const head = `{"custom_id":${JSON.stringify(name)},"method":"POST","url":${JSON.stringify(path)},"body":`;
    return Buffer.concat([Buffer.from(head), body, lineEnd]);
  },
  handIn(context, channel, { id }, requests) {
    const file = new MultipartFile({ filename: `${id}.jsonl`, type: 'application/jsonl', content: requests });
    return sendFile(context, channel, { file, purpose: batchPurpose, seconds: inputSeconds, boundary: context.randomText(boundaryLength) });
  },
  create,
  read,
  cancel,
  find,
  // The file also expires at the provider.
  release: (context, batch) => deleteAtProvider(context, { ...batch, upstream_id: batch.upstream_input }),
  hasResults: ({ completed, upstream_output: output }) => completed === 0 || output !== '',
  results(batch) {
    const files = [
      { isOfErrors: false, id: batch.upstream_output },
      { isOfErrors: true, id: batch.upstream_error },
    ];
    return files
      .filter(({ id }) => id !== '')
      .map(({ isOfErrors, id }) => ({ isOfErrors, open: (context: Requesting) => readAtProvider(context, { ...batch, upstream_id: id }) }));
  },
  readResult({ custom_id: name, response }) {
    if (typeof name !== 'string') return null;
    const isAnswered = isObject(response) && response['status_code'] === 200;
    return { name, isAnswered, body: isObject(response) ? response['body'] : null };
  },
  restore(line, { model, upstream_model: upstream }) {
    if (model === upstream) return line;
    return restored(line, model, isTunedModelId(model) ? upstream : '');
  },
};

const lineEnd = Buffer.from('}\n');
/** Seconds until the input file expires at the provider, well after the batch must have ended. */
const inputSeconds = 3 * 24 * 3600;
/** Length of the boundary, which must not occur in the content. */
const boundaryLength = 48;

/** Reports whether the provider's batches are Mistral's jobs. */
function hasJobs({ provider }: PreparedChannel): boolean {
  return provider?.account?.jobs === 'mistral';
}

async function create(context: Requesting, channel: PreparedChannel, record: BatchRecord): Promise<BatchRequest> {
  if (hasJobs(channel)) return createJob(context, channel, record);
  const { provider } = channel;
  const { endpoint } = record;
  const seconds = secondsThere(provider, record.output_seconds);
  const body = {
    input_file_id: record.upstream_input,
    endpoint: provider?.account?.endpoints[endpoint] ?? endpoint,
    completion_window: record.completion_window,
    ...(seconds === null ? {} : { output_expires_after: { anchor: 'created_at', seconds } }),
  };
  return ask(context, channel, 'POST', '', Buffer.from(JSON.stringify(body)));
}

function read(context: Requesting, channel: PreparedChannel, id: string): Promise<BatchRequest> {
  if (hasJobs(channel)) return readJob(context, channel, id);
  return ask(context, channel, 'GET', `/${encodeURIComponent(id)}`);
}

function cancel(context: Requesting, channel: PreparedChannel, id: string): Promise<BatchRequest> {
  if (hasJobs(channel)) return cancelJob(context, channel, id);
  return ask(context, channel, 'POST', `/${encodeURIComponent(id)}/cancel`);
}

const pageSize = 100;
/** Ten thousand batches of an account created since. */
const mostPages = 100;

/**
 * Finds a batch whose creation got no response by its input file, which only it uses. Returns null if there is none,
 * undefined if not known.
 */
async function find(context: Requesting, channel: PreparedChannel, record: BatchRecord): Promise<ReportedBatch | null | undefined> {
  if (hasJobs(channel)) return findJob(context, channel, record);
  let after = '';
  for (let page = 0; page < mostPages; page += 1) {
    const received = await requestAccount(context, channel, { method: 'GET', path: `/batches?limit=${pageSize}${after}` });
    if (received.kind !== 'whole') return undefined;
    const list = parseObject(received.body.toString('utf8'));
    const data: unknown = list?.['data'];
    if (!Array.isArray(data)) return undefined;
    for (const item of data) {
      const reported = isObject(item) ? readReported(item) : null;
      if (reported?.inputFile === record.upstream_input) return reported;
    }
    const last: unknown = data.at(-1);
    if (list?.['has_more'] !== true || !isObject(last) || typeof last['id'] !== 'string') return null;
    // Newest first: older batches cannot match. One hour of tolerance for clock differences.
    if (secondsOf(last['created_at']) < record.created_at - 3600) return null;
    after = `&after=${encodeURIComponent(last['id'])}`;
  }
  return undefined;
}

function ask(context: Requesting, channel: PreparedChannel, method: 'GET' | 'POST', path: string, body?: Buffer): Promise<BatchRequest> {
  return queryBatches(context, channel, { method, path: `/batches${path}`, body, readReported });
}

const statuses: ReadonlySet<unknown> = new Set([
  'validating',
  'failed',
  'in_progress',
  'finalizing',
  'completed',
  'expired',
  'cancelling',
  'cancelled',
]);
const times = [
  'expires_at',
  'in_progress_at',
  'finalizing_at',
  'completed_at',
  'failed_at',
  'expired_at',
  'cancelling_at',
  'cancelled_at',
] as const;

function readReported(object: Readonly<Record<string, unknown>>): (ReportedBatch & { inputFile: string }) | null {
  const { id, status, request_counts: counts, input_file_id: input } = object;
  if (typeof id !== 'string' || idOf(id) === '' || !statuses.has(status) || typeof status !== 'string') return null;
  const set: Partial<BatchRecord> = {
    status,
    upstream_output: idOf(object['output_file_id']),
    upstream_error: idOf(object['error_file_id']),
  };
  for (const time of times) if (secondsOf(object[time]) > 0) set[time] = secondsOf(object[time]);
  if (isObject(counts)) {
    set.completed = requestCount(counts['completed']);
    set.failed = requestCount(counts['failed']);
  }
  const errors = errorsOf(object['errors']);
  if (errors !== '') set.errors = errors;
  return { id, set, inputFile: idOf(input) };
}
