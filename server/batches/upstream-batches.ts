// Batches at a provider that has them: https://platform.openai.com/docs/api-reference/batch
import type { BatchRecord } from '#server/db/records/batch.ts';
import { storableText } from '#server/db/storable.ts';
import { askAccount } from '#server/files/upstream-files.ts';
import type { Asking } from '#server/files/upstream-files.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';
import { invalidResponse } from '#server/upstream/upstream-error.ts';
import type { UpstreamFailure } from '#server/upstream/upstream-error.ts';

/** What a provider tells of one. */
export interface ToldBatch {
  id: string;
  set: Partial<BatchRecord>;
  inputFile: string;
}

/** `isUnknown`: whether the provider has it cannot be told from that. */
export type AskedBatch = { told: ToldBatch } | { failure: UpstreamFailure; isUnknown: boolean };

export async function createUpstream(context: Asking, channel: PreparedChannel, record: BatchRecord): Promise<AskedBatch> {
  const body = {
    input_file_id: record.upstream_input,
    endpoint: record.endpoint,
    completion_window: record.completion_window,
    output_expires_after: { anchor: 'created_at', seconds: record.output_seconds },
  };
  return ask(context, channel, 'POST', '', Buffer.from(JSON.stringify(body)));
}

export function readUpstream(context: Asking, channel: PreparedChannel, id: string): Promise<AskedBatch> {
  return ask(context, channel, 'GET', `/${encodeURIComponent(id)}`);
}

export function cancelUpstream(context: Asking, channel: PreparedChannel, id: string): Promise<AskedBatch> {
  return ask(context, channel, 'POST', `/${encodeURIComponent(id)}/cancel`);
}

const pageSize = 100;
/** Ten thousand batches of one account since ours was created. */
const mostPages = 100;

/**
 * The one that was made of that file, where its creation was not answered: nobody else knows the file.
 * Null: there is none. Undefined: that is not known.
 */
export async function findUpstream(context: Asking, channel: PreparedChannel, record: BatchRecord): Promise<ToldBatch | null | undefined> {
  let after = '';
  for (let page = 0; page < mostPages; page += 1) {
    const received = await askAccount(context, channel, { method: 'GET', path: `/batches?limit=${pageSize}${after}` });
    if (received.kind !== 'whole') return undefined;
    const list = parseObject(received.body.toString('utf8'));
    const data: unknown = list?.['data'];
    if (!Array.isArray(data)) return undefined;
    for (const item of data) {
      const told = isObject(item) ? readTold(item) : null;
      if (told?.inputFile === record.upstream_input) return told;
    }
    const last: unknown = data.at(-1);
    if (list?.['has_more'] !== true || !isObject(last) || typeof last['id'] !== 'string') return null;
    // The newest come first: what is older than ours is none of it. An hour for clocks that differ.
    if (secondsOf(last['created_at']) < record.created_at - 3600) return null;
    after = `&after=${encodeURIComponent(last['id'])}`;
  }
  return undefined;
}

async function ask(context: Asking, channel: PreparedChannel, method: 'GET' | 'POST', path: string, body?: Buffer): Promise<AskedBatch> {
  const asked = {
    method,
    path: `/batches${path}`,
    ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
  };
  const received = await askAccount(context, channel, asked);
  if (received.kind === 'failed') {
    const { upstreamStatus: status } = received.failure;
    return { failure: received.failure, isUnknown: status < 400 || status >= 500 || status === 408 };
  }
  if (received.kind === 'stream') received.stream.abort();
  const object = received.kind === 'whole' ? parseObject(received.body.toString('utf8')) : null;
  const told = object === null ? null : readTold(object);
  return told === null ? { failure: invalidResponse(), isUnknown: true } : { told };
}

const longestId = 256;
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

function readTold(object: Readonly<Record<string, unknown>>): ToldBatch | null {
  const { id, status, request_counts: counts, input_file_id: input } = object;
  if (typeof id !== 'string' || id === '' || id.length > longestId || !statuses.has(status) || typeof status !== 'string') return null;
  const set: Partial<BatchRecord> = {
    status,
    upstream_output: idOf(object['output_file_id']),
    upstream_error: idOf(object['error_file_id']),
  };
  for (const time of times) if (secondsOf(object[time]) > 0) set[time] = secondsOf(object[time]);
  if (isObject(counts)) {
    set.completed = countOf(counts['completed']);
    set.failed = countOf(counts['failed']);
  }
  const errors = errorsOf(object['errors']);
  if (errors !== '') set.errors = errors;
  return { id, set, inputFile: idOf(input) };
}

function idOf(value: unknown): string {
  return typeof value === 'string' && value.length <= longestId ? value : '';
}

function secondsOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

function countOf(value: unknown): number {
  return Math.min(secondsOf(value), 10_000_000);
}

const mostErrors = 20;
const longestError = 500;

/** As many of them as are kept. */
function errorsOf(told: unknown): string {
  const data = isObject(told) ? told['data'] : undefined;
  if (!Array.isArray(data) || data.length === 0) return '';
  const errors = data.filter(isObject).slice(0, mostErrors);
  const textOf = (value: unknown) => (typeof value === 'string' ? storableText(value, longestError) : null);
  return JSON.stringify(
    errors.map(({ code, line, message, param }) => ({
      code: textOf(code),
      line: typeof line === 'number' && Number.isSafeInteger(line) ? line : null,
      message: textOf(message),
      param: textOf(param),
    })),
  );
}
