// Gemini's batches: requests and results are files of JSON lines at the provider.
// https://ai.google.dev/gemini-api/docs/batch-api
import type { BatchRecord } from '#server/db/records/batch.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { channelOf, deleteThere, errorOf, requestAccount, type Requesting } from '#server/objects/upstream-files.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { PiecedBody, sourceOf } from '#server/framing/byte-source.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { SpoolFile } from '#server/http/spool.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { invalidResponse } from '#server/exchange/upstream-error.ts';
import type { EventSource } from '#server/exchange/upstream-stream.ts';
import { queryBatches, requestCount } from './query-batches.ts';
import type { BatchFormat, HandedIn, ReportedBatch } from './batch-format.ts';
import { errorsOf } from './provider-fields.ts';

/** Maximum bytes of inline requests, the vendor's limit. */
const mostInline = 20 * 1024 * 1024;
const longestMetadata = 1024;
const boundaryLength = 48;
const lineEnd = Buffer.from('}\n');

export const geminiBatches: BatchFormat = {
  name: 'gemini',
  paths: ['/v1beta/models/{model}:generateContent', '/v1beta/models/{model}:embedContent'],
  names: /^[^\p{Cc}]{1,2048}$/u,
  fileField: 'batch.inputConfig.fileName',
  mostInline,
  itemIn(item, index) {
    const [other] = item.others(index === undefined ? lineNames : itemNames);
    if (other !== undefined) throw badField(other.slice(0, 100).replaceAll(/\p{Cc}/gu, '?'), fieldRules.invalid);
    // Requests of a file have keys; those of a list are identified by index.
    if (index === undefined) return { name: item.requiredText('key'), body: item.raw('request') };
    const metadata = item.object('metadata');
    const reported = metadata === undefined ? '' : JSON.stringify(metadata);
    if (reported.length > longestMetadata) throw badField('metadata', fieldRules.longest(longestMetadata));
    return { name: `${index}:${reported}`, body: item.raw('request') };
  },
  writeRequest({ name, body }) {
    return Buffer.concat([Buffer.from(`{"key":${JSON.stringify(name)},"request":`), body, lineEnd]);
  },
  handIn,
  create(context, channel, { id, endpoint, upstream_input: fileName, upstream_model: model }) {
    const verb = channel.provider?.account?.endpoints[endpoint] ?? '';
    const body = Buffer.from(JSON.stringify({ batch: { displayName: id, inputConfig: { fileName } } }));
    const path = `/models/${encodeURIComponent(model.replace(/^models\//, ''))}:${verb}`;
    return queryBatches(context, channel, { method: 'POST', path, body, readReported });
  },
  read: (context, channel, id) => queryBatches(context, channel, { method: 'GET', path: `/${id}`, readReported }),
  cancel(context, channel, id) {
    const reported = { id, set: { status: 'cancelling', cancelling_at: Math.floor(context.now() / 1000) } };
    return queryBatches(context, channel, { method: 'POST', path: `/${id}:cancel`, body: Buffer.from('{}'), readReported: () => reported });
  },
  find,
  async release(context, batch) {
    const channel = channelOf(context, batch);
    return channel === null || batch.upstream_input === '' ? 'gone' : deleteThere(context, channel, `/${batch.upstream_input}`);
  },
  hasResults: ({ completed, failed, upstream_output: output }) => completed + failed === 0 || output !== '',
  results(batch) {
    const { upstream_output: name } = batch;
    return name === '' ? [] : [{ isOfErrors: false, open: (context) => openResults(context, batch) }];
  },
  readResult({ key, response }) {
    return typeof key === 'string' ? { name: key, isAnswered: isObject(response), body: response } : null;
  },
  restore(line, { model, upstream_model: upstream }) {
    if (model === upstream) return line;
    const reported = parseObject(line.toString('utf8'));
    if (!isObject(reported?.['response']) || reported['response']['modelVersion'] === undefined) return line;
    reported['response']['modelVersion'] = model;
    return Buffer.from(JSON.stringify(reported));
  },
};

const lineNames: ReadonlySet<string> = new Set(['key', 'request']);
const itemNames: ReadonlySet<string> = new Set(['request', 'metadata']);

/** Parses index and metadata of a list's request; returns null for a file's key. */
export function placeIn(name: string): { index: number; metadata: unknown } | null {
  const [, index, reported = ''] = /^(\d{1,7}):(.*)$/s.exec(name) ?? [];
  return index === undefined
    ? null
    : { index: Number(index), metadata: reported === '' ? undefined : (parseObject(reported) ?? undefined) };
}

async function handIn(
  context: Requesting & { randomText(count: number): string },
  channel: PreparedChannel,
  { id }: BatchRecord,
  requests: SpoolFile,
): Promise<HandedIn> {
  const boundary = context.randomText(boundaryLength);
  const about = JSON.stringify({ file: { displayName: id, mimeType: 'application/jsonl' } });
  const head = `--${boundary}\r\ncontent-type: application/json; charset=utf-8\r\n\r\n${about}\r\n--${boundary}\r\ncontent-type: application/jsonl\r\n\r\n`;
  const received = await requestAccount(context, channel, {
    method: 'POST',
    before: '/upload',
    path: '/files?uploadType=multipart',
    body: new PiecedBody([sourceOf(Buffer.from(head)), requests, sourceOf(Buffer.from(`\r\n--${boundary}--\r\n`))]),
    headers: { 'content-type': `multipart/related; boundary=${boundary}`, 'x-goog-upload-protocol': 'multipart' },
  });
  if (received.kind === 'failed') return { failure: received.failure };
  if (received.kind === 'stream') received.stream.abort();
  const reported = received.kind === 'whole' ? parseObject(received.body.toString('utf8'))?.['file'] : undefined;
  const name = isObject(reported) ? fileIn(reported['name']) : '';
  return name === '' ? { failure: invalidResponse() } : { id: name };
}

/** @throws {AppError} */
async function openResults(context: Requesting, batch: BatchRecord): Promise<EventSource | Buffer> {
  const channel = channelOf(context, batch);
  if (channel === null) throw errorOf(context, invalidResponse());
  const path = `/${batch.upstream_output}:download?alt=media`;
  const received = await requestAccount(context, channel, { method: 'GET', before: '/download', path, isStream: true });
  if (received.kind === 'failed') throw errorOf(context, received.failure);
  return received.kind === 'stream' ? received.stream : received.body;
}

const pageSize = 100;
/** Maximum pages of an account's batches. */
const mostPages = 100;

/**
 * Finds a batch whose creation got no response by its display name, which is our id. Returns null if there is none,
 * undefined if not known.
 */
async function find(context: Requesting, channel: PreparedChannel, record: BatchRecord): Promise<ReportedBatch | null | undefined> {
  let token = '';
  for (let page = 0; page < mostPages; page += 1) {
    const received = await requestAccount(context, channel, { method: 'GET', path: `/batches?pageSize=${pageSize}${token}` });
    if (received.kind === 'stream') received.stream.abort();
    const list = received.kind === 'whole' ? parseObject(received.body.toString('utf8')) : null;
    if (list === null) return undefined;
    const { operations = [], nextPageToken: next } = list;
    if (!Array.isArray(operations)) return undefined;
    for (const item of operations.filter(isObject)) {
      const { metadata } = item;
      if (isObject(metadata) && metadata['displayName'] === record.id) return readReported(item) ?? undefined;
    }
    if (typeof next !== 'string' || next === '') return null;
    token = `&pageToken=${encodeURIComponent(next)}`;
  }
  return undefined;
}

const states: Readonly<Record<string, string>> = {
  PENDING: 'validating',
  RUNNING: 'in_progress',
  SUCCEEDED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  EXPIRED: 'expired',
};
const ends: Readonly<Record<string, 'completed_at' | 'failed_at' | 'expired_at' | 'cancelled_at'>> = {
  completed: 'completed_at',
  failed: 'failed_at',
  expired: 'expired_at',
  cancelled: 'cancelled_at',
};

/** https://ai.google.dev/api/batch-api#GenerateContentBatch */
function readReported(object: Readonly<Record<string, unknown>>): ReportedBatch | null {
  const { name, metadata, response, error } = object;
  if (typeof name !== 'string' || !/^batches\/[\w-]{1,200}$/.test(name) || !isObject(metadata)) return null;
  const { state: reported, createTime, endTime, batchStats: counts, output: shown } = metadata;
  const state = typeof reported === 'string' ? reported.replace(/^(?:BATCH|JOB)_STATE_/, '') : '';
  // An unknown state counts as waiting.
  const status = Object.hasOwn(states, state) ? states[state] : 'validating';
  const output = isObject(response) ? response : isObject(shown) ? shown : {};
  const set: Partial<BatchRecord> = { upstream_output: fileIn(output['responsesFile']) };
  if (status !== undefined) set.status = status;
  if (status === 'in_progress' && secondsOf(createTime) > 0) set.in_progress_at = secondsOf(createTime);
  const end = status === undefined ? undefined : ends[status];
  if (end !== undefined && secondsOf(endTime) > 0) set[end] = secondsOf(endTime);
  if (isObject(counts)) {
    set.completed = countOf(counts['successfulRequestCount']);
    set.failed = countOf(counts['failedRequestCount']);
  }
  if (isObject(error)) set.errors = errorsOf({ data: [{ code: String(error['code']), message: error['message'] }] });
  return { id: name, set };
}

function fileIn(value: unknown): string {
  return typeof value === 'string' && /^files\/[\w-]{1,200}$/.test(value) ? value : '';
}

/** 64-bit integers are strings. */
function countOf(value: unknown): number {
  return requestCount(typeof value === 'string' ? Number(value) : value);
}

function secondsOf(value: unknown): number {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) || at < 0 ? 0 : Math.floor(at / 1000);
}
