// Uploads, reads and deletes files at a provider with the key of their channel.
import { AppError } from '#shared/errors.ts';
import { ChannelStatus } from '#shared/channels.ts';
import type { AppContext } from '#server/context.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import { type MultipartFile, writeMultipart } from '#server/framing/multipart.ts';
import { framings } from '#server/framing/registry.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { channelBehind } from '#server/exchange/key-behind.ts';
import { TaskFailure } from '#server/call/tasks/task-failure.ts';
import { exchange, type Received } from '#server/exchange/exchange.ts';
import { headersTo } from '#server/exchange/provider-headers.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { Provider } from '#server/providers/spec.ts';
import type { SendRequest } from '#server/exchange/send.ts';
import type { EventSource } from '#server/exchange/upstream-stream.ts';
import { invalidResponse, type UpstreamFailure } from '#server/exchange/upstream-error.ts';
import { batchPurpose, tuningPurpose } from './file-store.ts';

export interface Requesting extends Pick<AppContext, 'sender' | 'settings' | 'now' | 'env' | 'channels' | 'secrets'> {
  /** Deadline of responses, monotonic milliseconds. If undefined, the timeout of calls applies. */
  answerBy?: number;
}

/** Maximum bytes of a response: a page of batches, with fields and errors. */
const answerBytes = 8 * 1024 * 1024;
const longestId = 256;
/** Framing that treats any bytes as a stream. */
const bytes = { ...framings.sse, mediaType: '', begins: () => true };

interface FilePlace {
  group: string;
  /** The only allowed channel. */
  pinned: number | undefined;
  purpose: string;
  /** The file is sent in parts. */
  isInParts?: true;
}

/** Channels of the group that accept such files, highest priority first. */
export function channelsWithFiles({ channels }: Requesting, { group, pinned, purpose, isInParts }: FilePlace): PreparedChannel[] {
  const fitting = [...channels.all()].filter(
    ({ id, status, problem, provider, groups }) =>
      status === ChannelStatus.enabled &&
      problem === null &&
      provider !== null &&
      (purpose !== batchPurpose || provider.runsBatches === 'openai') &&
      ((purpose === batchPurpose && isInParts === undefined) || provider.hosts?.includes('files') === true) &&
      (purpose !== tuningPurpose || provider.hosts?.includes('fine_tuning') === true) &&
      (pinned === undefined ? groups.includes(group) : id === pinned),
  );
  return fitting.sort((one, other) => other.priority - one.priority || one.id - other.id);
}

/** Location of a file. */
type Lying = Pick<FileRecord, 'channel_id' | 'key' | 'upstream_id'>;

export interface FileToSend {
  file: MultipartFile;
  purpose: string;
  /** Lifetime; null if it does not expire. */
  seconds: number | null;
  boundary: string;
}

/** Returns the provider's id, or the failure. Files with a lifetime expire there even if their response is lost. */
export async function sendFile(
  context: Requesting,
  channel: PreparedChannel,
  { file, purpose, seconds, boundary }: FileToSend,
): Promise<{ id: string } | { failure: UpstreamFailure }> {
  const parts = [{ name: 'purpose', value: purpose }, ...expiry(channel, seconds), { name: 'file', value: file }];
  const body = writeMultipart(parts, boundary);
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` };
  const received = await requestAccount(context, channel, { method: 'POST', path: '/files', body, headers });
  if (received.kind === 'failed') return { failure: received.failure };
  if (received.kind === 'stream') return { failure: unexpected(received.stream) };
  const id = parseObject(received.body.toString('utf8'))?.['id'];
  return typeof id === 'string' && id !== '' && id.length <= longestId ? { id } : { failure: invalidResponse() };
}

function expiry({ provider }: PreparedChannel, seconds: number | null): { name: string; value: string }[] {
  const stored = seconds === null ? null : secondsThere(provider, seconds);
  if (stored === null) return [];
  return [
    { name: 'expires_after[anchor]', value: 'created_at' },
    { name: 'expires_after[seconds]', value: String(stored) },
  ];
}

/** Lifetime to send to the provider; shorter ones are enforced by deleting the file here. Null if it has no lifetimes. */
export function secondsThere(provider: Provider | null, seconds: number): number | null {
  const account = provider?.account;
  if (account === undefined) return seconds;
  const { lifetimes } = account;
  return lifetimes === undefined ? null : Math.min(lifetimes.most, Math.max(lifetimes.least, seconds));
}

/** `left`: it may still exist; `silent`: same, because the provider did not respond. */
export async function deleteAtProvider(context: Requesting, record: Lying): Promise<'gone' | 'left' | 'silent'> {
  const channel = channelOf(context, record);
  // With another key it cannot be reached; the provider deletes it when it expires.
  if (channel === null || record.upstream_id === '') return 'gone';
  return deleteThere(context, channel, `/files/${encodeURIComponent(record.upstream_id)}`);
}

/** @param path path after the account's; results as of `deleteAtProvider` */
export async function deleteThere(context: Requesting, channel: PreparedChannel, path: string): Promise<'gone' | 'left' | 'silent'> {
  const received = await requestAccount(context, channel, { method: 'DELETE', path });
  if (received.kind === 'stream') received.stream.abort();
  if (received.kind !== 'failed') return 'gone';
  const { upstreamStatus: status } = received.failure;
  return status === 404 || (status > 200 && status < 300) ? 'gone' : status === 0 ? 'silent' : 'left';
}

/** @throws {AppError} */
export async function readAtProvider(context: Requesting, record: Lying & Pick<FileRecord, 'id'>): Promise<EventSource | Buffer> {
  const channel = channelOf(context, record);
  if (channel === null) throw new AppError('file_not_found', { id: record.id });
  const received = await requestAccount(context, channel, {
    method: 'GET',
    path: `/files/${encodeURIComponent(record.upstream_id)}/content`,
    isStream: true,
  });
  if (received.kind === 'failed') throw errorOf(context, received.failure);
  return received.kind === 'stream' ? received.stream : received.body;
}

/** Channel of a file; null if no channel has that key any more. */
export function channelOf(
  { channels, secrets }: Pick<Requesting, 'channels' | 'secrets'>,
  { channel_id: id, key }: Pick<FileRecord, 'channel_id' | 'key'>,
): PreparedChannel | null {
  const channel = channelBehind({ channels, secrets }, id, key);
  return channel === undefined || channel.problem !== null ? null : channel;
}

export function errorOf({ settings }: Pick<Requesting, 'settings'>, failure: UpstreamFailure): AppError {
  return TaskFailure.ofUpstream(failure, settings.get('AutomaticDisableKeywords')).error;
}

function unexpected(stream: EventSource): UpstreamFailure {
  stream.abort();
  return invalidResponse();
}

/**
 * Sends a request to the account of a channel.
 * @param requested `path` after the account's prefix, or `root` in place of both; `mostBytes`: limit of a response that
 * is no stream
 */
export async function requestAccount(
  context: Requesting,
  channel: PreparedChannel,
  requested: Pick<SendRequest, 'method' | 'path' | 'isStream'> &
    Partial<Pick<SendRequest, 'body' | 'headers'>> & { mostBytes?: number; before?: string; root?: string },
): Promise<Received> {
  const { method, path, body = null, headers: own = {}, isStream = false, mostBytes = answerBytes, before = '' } = requested;
  const { root = `${channel.base}${before}${channel.provider?.account?.path ?? '/v1'}` } = requested;
  const { 'content-type': _json, ...headers } = channel.headers;
  const url = new URL(`${root}${path}`);
  const request: SendRequest = {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    headers: headersTo(channel, headers, own),
    body,
    isStream,
    framing: isStream ? bytes : framings.sse,
    proxy: channel.setting.proxy,
  };
  const signed = await channel.authorize(request, { now: context.now(), sender: context.sender });
  return exchange(context, channel, signed, { responseMs: waitOf(context, context.env.RELAY_TIMEOUT), maxBytes: mostBytes }).received;
}

/** Milliseconds by which a timer may fire early on the monotonic clock. */
const timerErrorMs = 5;

/** Reports whether the deadline has passed. */
export function isOverdue({ answerBy = Infinity }: Pick<Requesting, 'answerBy'>): boolean {
  return performance.now() > answerBy - timerErrorMs;
}

/**
 * Milliseconds until the deadline.
 * @param seconds maximum
 */
export function waitOf({ answerBy }: Pick<Requesting, 'answerBy'>, seconds: number): number {
  return Math.min(seconds * 1000, answerBy === undefined ? Infinity : Math.max(1, answerBy - performance.now()));
}
