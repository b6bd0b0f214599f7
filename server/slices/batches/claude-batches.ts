// Anthropic's batches: requests are sent inline, results are downloaded.
// https://platform.claude.com/docs/en/api/creating-message-batches
import type { BatchRecord } from '#server/db/records/batch.ts';
import { errorOf, requestAccount, type Requesting, waitOf } from '#server/objects/upstream-files.ts';
import { PiecedBody, sourceOf } from '#server/framing/byte-source.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { invalidResponse } from '#server/exchange/upstream-error.ts';
import type { EventSource } from '#server/exchange/upstream-stream.ts';
import { queryBatches, requestCount } from './query-batches.ts';
import type { BatchFormat, Finding, ReportedBatch } from './batch-format.ts';
import { linesOf } from '#server/work/read-lines.ts';

/** Length of the prefix of custom ids at the provider. */
export const tagLength = 8;
const separator = '_';

export const claudeBatches: BatchFormat = {
  name: 'claude',
  paths: ['/v1/messages'],
  // The vendor accepts 64 characters, including the prefix.
  names: /^[a-zA-Z0-9_-]{1,55}$/,
  fileField: 'requests',
  writeRequest({ name, body, input, isFirst }) {
    const head = `${isFirst ? '' : ','}{"custom_id":${JSON.stringify(`${input}${separator}${name}`)},"params":`;
    return Buffer.concat([Buffer.from(head), body, objectEnd]);
  },
  handIn: (_context, _channel, { upstream_input: id }) => Promise.resolve({ id }),
  create(context, channel, _batch, requests) {
    return ask(context, channel, { method: 'POST', path: '', body: new PiecedBody([sourceOf(begin), requests, sourceOf(end)]) });
  },
  read: (context, channel, id) => ask(context, channel, { method: 'GET', path: `/${encodeURIComponent(id)}` }),
  cancel: (context, channel, id) => ask(context, channel, { method: 'POST', path: `/${encodeURIComponent(id)}/cancel` }),
  find,
  release: () => Promise.resolve('nothing'),
  hasResults: () => true,
  results: ({ channel_id: id, upstream_id: upstream }) => [
    { isOfErrors: false, open: (context) => openResults(context, context.channels.get(id), upstream) },
  ],
  readResult({ custom_id: reported, result }, { upstream_input: tag }) {
    const start = `${tag}${separator}`;
    if (typeof reported !== 'string' || !reported.startsWith(start) || !isObject(result)) return null;
    return { name: reported.slice(start.length), isAnswered: result['type'] === 'succeeded', body: result['message'] };
  },
  restore,
};

const begin = Buffer.from('{"requests":[');
const end = Buffer.from(']}');
const objectEnd = Buffer.from('}');

/** @throws {AppError} */
async function openResults(context: Requesting, channel: PreparedChannel | undefined, id: string): Promise<EventSource | Buffer> {
  if (channel === undefined) throw errorOf(context, invalidResponse());
  const received = await requestAccount(context, channel, {
    method: 'GET',
    path: `/messages/batches/${encodeURIComponent(id)}/results`,
    isStream: true,
  });
  if (received.kind === 'failed') throw errorOf(context, received.failure);
  return received.kind === 'stream' ? received.stream : received.body;
}

const pageSize = 100;
/** Maximum pages of an account's batches created since. */
const mostPages = 20;
/** Seconds in which a provider may still accept an abandoned creation: its inline requests cannot be deleted. */
const slowSeconds = 600;

/**
 * Finds the batch by the prefix of its custom ids, visible once results can be read. While unknown batches of the
 * account are running, one of them may be it.
 */
async function find(context: Finding, channel: PreparedChannel, batch: BatchRecord): Promise<ReportedBatch | null | undefined> {
  let mayCome = context.now() / 1000 < (batch.asked_at ?? batch.created_at) + slowSeconds;
  let after = '';
  for (let page = 0; page < mostPages; page += 1) {
    const received = await requestAccount(context, channel, { method: 'GET', path: `/messages/batches?limit=${pageSize}${after}` });
    const list = received.kind === 'whole' ? parseObject(received.body.toString('utf8')) : null;
    const data: unknown = list?.['data'];
    if (!Array.isArray(data)) return undefined;
    for (const item of data.filter(isObject)) {
      const reported = readReported(item);
      // One hour of tolerance for clock differences.
      if (secondsOf(item['created_at']) < batch.created_at - 3600) return mayCome ? undefined : null;
      if (reported === null || countsOf(item) !== batch.requests || (await context.isKnown(channel, reported.id))) continue;
      if (reported.set.status !== 'completed') mayCome = true;
      else if (await isOurs(context, channel, batch, reported.id)) return reported;
    }
    const last: unknown = data.at(-1);
    if (list?.['has_more'] !== true || !isObject(last) || typeof last['id'] !== 'string') return mayCome ? undefined : null;
    after = `&after_id=${encodeURIComponent(last['id'])}`;
  }
  return undefined;
}

const lineBounds = { longest: 64 * 1024 * 1024, largest: Number.MAX_SAFE_INTEGER };

async function isOurs(context: Requesting, channel: PreparedChannel, batch: BatchRecord, id: string): Promise<boolean> {
  const source = await openResults(context, channel, id);
  const silenceMs = waitOf(context, context.env.STREAMING_TIMEOUT);
  for await (const { bytes } of linesOf(source, { ...lineBounds, silenceMs })) {
    const line = parseObject(bytes.toString('utf8'));
    return line !== null && claudeBatches.readResult(line, batch) !== null;
  }
  return false;
}

function ask(
  context: Requesting,
  channel: PreparedChannel,
  { path, ...requested }: { method: 'GET' | 'POST'; path: string; body?: PiecedBody },
) {
  return queryBatches(context, channel, { ...requested, path: `/messages/batches${path}`, readReported });
}

const longestId = 256;
const statuses: ReadonlyMap<unknown, string> = new Map([
  ['in_progress', 'in_progress'],
  ['canceling', 'cancelling'],
  ['ended', 'completed'],
]);

function readReported(object: Readonly<Record<string, unknown>>): ReportedBatch | null {
  const { id, processing_status: reported } = object;
  const status = statuses.get(reported);
  if (typeof id !== 'string' || id === '' || id.length > longestId || status === undefined) return null;
  const set: Partial<BatchRecord> = { status };
  const times = [
    ['expires_at', 'expires_at'],
    ['completed_at', 'ended_at'],
    ['cancelling_at', 'cancel_initiated_at'],
  ] as const;
  for (const [ours, theirs] of times) {
    const at = secondsOf(object[theirs]);
    if (at > 0) set[ours] = at;
  }
  const { request_counts: counts } = object;
  if (isObject(counts)) {
    set.completed = requestCount(counts['succeeded']);
    set.failed = requestCount(counts['errored']);
    set.cancelled = requestCount(counts['canceled']);
    set.expired = requestCount(counts['expired']);
  }
  return { id, set };
}

/** Total number of requests. */
function countsOf({ request_counts: counts }: Readonly<Record<string, unknown>>): number {
  return isObject(counts) ? Object.values(counts).reduce<number>((sum, count) => sum + requestCount(count), 0) : 0;
}

function secondsOf(value: unknown): number {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) || at < 0 ? 0 : Math.floor(at / 1000);
}

/** Restores custom ids and the model; drops lines of other batches. */
function restore(line: Buffer, batch: BatchRecord): Buffer {
  const reported = parseObject(line.toString('utf8'));
  const read = reported === null ? null : claudeBatches.readResult(reported, batch);
  if (reported === null || read === null) return Buffer.alloc(0);
  const { body } = read;
  if (read.isAnswered && isObject(body) && batch.model !== batch.upstream_model) body['model'] = batch.model;
  return Buffer.from(JSON.stringify({ ...reported, custom_id: read.name }));
}
