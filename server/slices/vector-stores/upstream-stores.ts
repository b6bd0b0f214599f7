// Vector stores at a provider, accessed with the key of their channel.
// https://platform.openai.com/docs/api-reference/vector-stores
import { ChannelStatus } from '#shared/channels.ts';
import type { VectorStoreRecord } from '#server/db/records/vector-store.ts';
import { findByName, isId } from '#server/objects/find-by-name.ts';
import { channelOf, requestAccount, type Requesting } from '#server/objects/upstream-files.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { invalidResponse, type UpstreamFailure } from '#server/exchange/upstream-error.ts';
import { daySeconds } from './store-price.ts';

/** Days without use after which the provider deletes a store, whatever happens to this installation. */
const switchDays = 30;
/** The vendor's limit. */
const mostDays = 365;
const beta = { 'openai-beta': 'assistants=v2' };
const pageSize = 100;

export type ReportedStore = Pick<
  VectorStoreRecord,
  'status' | 'files_in_progress' | 'files_completed' | 'files_failed' | 'files_cancelled' | 'last_active_at'
> & {
  id: string;
  /** The store has expired. */
  hasExpired: boolean;
  /** Null if it is no number of bytes. */
  bytes: number | null;
};

/** `isUnknown`: the response does not show whether it was done. */
export type Refused = { failure: UpstreamFailure; isUnknown: boolean };

interface Question {
  method: 'GET' | 'POST' | 'DELETE';
  /** Path after `/v1`. */
  path: string;
  body?: object;
  mostBytes?: number;
}

/** Channels of the group that support stores, highest priority first. `pinned`: the only allowed channel. */
export function channelsWithStores(
  { channels }: Requesting,
  { group, pinned }: { group: string; pinned: number | undefined },
): PreparedChannel[] {
  const fitting = [...channels.all()].filter(
    (channel) => isAble(channel) && (pinned === undefined ? channel.groups.includes(group) : channel.id === pinned),
  );
  return fitting.sort((one, other) => other.priority - one.priority || one.id - other.id);
}

export function isAble({ status, problem, provider }: PreparedChannel): boolean {
  return status === ChannelStatus.enabled && problem === null && provider?.hosts?.includes('vector_stores') === true;
}

/** Returns the provider's response as an object. */
export async function requestStores(
  context: Requesting,
  channel: PreparedChannel,
  question: Question,
): Promise<{ object: Readonly<Record<string, unknown>> } | Refused> {
  const answer = await requestBytes(context, channel, question);
  if ('failure' in answer) return answer;
  const object = parseObject(answer.bytes.toString('utf8'));
  return object === null ? { failure: invalidResponse(), isUnknown: true } : { object };
}

/** Returns the raw response, which may be long. */
export async function requestBytes(
  context: Requesting,
  channel: PreparedChannel,
  { method, path, body, mostBytes }: Question,
): Promise<{ bytes: Buffer } | Refused> {
  const headers = { ...beta, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const sent = { method, path, headers, ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }) };
  const received = await requestAccount(context, channel, mostBytes === undefined ? sent : { ...sent, mostBytes });
  if (received.kind === 'failed') {
    const { upstreamStatus: status } = received.failure;
    return { failure: received.failure, isUnknown: status < 400 || status >= 500 || status === 408 };
  }
  if (received.kind === 'stream') received.stream.abort();
  return received.kind === 'whole' ? { bytes: received.body } : { failure: invalidResponse(), isUnknown: true };
}

export async function requestStore(
  context: Requesting,
  channel: PreparedChannel,
  question: Question,
): Promise<{ reported: ReportedStore } | Refused> {
  const answer = await requestStores(context, channel, question);
  if ('failure' in answer) return answer;
  const reported = readReported(answer.object);
  return reported === null ? { failure: invalidResponse(), isUnknown: true } : { reported };
}

export function storePath({ upstream_id: id }: VectorStoreRecord, rest = ''): string {
  return `/vector_stores/${encodeURIComponent(id)}${rest}`;
}

/** @param idleSeconds seconds since the last use, which count towards the expiry */
export function switchOf(idleSeconds: number): { anchor: 'last_active_at'; days: number } {
  return { anchor: 'last_active_at', days: Math.min(mostDays, Math.ceil(Math.max(0, idleSeconds) / daySeconds) + switchDays) };
}

/** Returns false if it may still exist. */
export async function deleteStore(context: Requesting, record: VectorStoreRecord): Promise<boolean> {
  const channel = channelOf(context, record);
  // With another key it cannot be reached; the provider deletes it by itself.
  if (channel === null || record.upstream_id === '') return true;
  const received = await requestAccount(context, channel, { method: 'DELETE', path: storePath(record), headers: beta });
  if (received.kind === 'stream') received.stream.abort();
  if (received.kind !== 'failed') return true;
  const { upstreamStatus: status } = received.failure;
  return status === 404 || (status > 200 && status < 300);
}

/** Finds the id of a store whose creation got no response. Null if there is none, undefined if not known. */
export function findAtProvider(
  context: Requesting,
  channel: PreparedChannel,
  { id: name, created_at: since }: VectorStoreRecord,
): Promise<string | null | undefined> {
  return findByName(context, channel, { list: '/vector_stores', limit: pageSize, headers: beta, member: 'name', name, since });
}

function readReported(object: Readonly<Record<string, unknown>>): ReportedStore | null {
  const { id, status, usage_bytes: bytes, file_counts: counts, last_active_at: active, created_at: created } = object;
  if (!isId(id) || (status !== 'expired' && status !== 'in_progress' && status !== 'completed')) return null;
  const reported = isObject(counts) ? counts : {};
  return {
    id,
    hasExpired: status === 'expired',
    status: status === 'in_progress' ? status : 'completed',
    bytes: typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : null,
    files_in_progress: numberOf(reported['in_progress']),
    files_completed: numberOf(reported['completed']),
    files_failed: numberOf(reported['failed']),
    files_cancelled: numberOf(reported['cancelled']),
    last_active_at: numberOf(active) === 0 ? numberOf(created) : numberOf(active),
  };
}

/** Number of files, or unix seconds; 0 if invalid. */
function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? Math.min(value, 100_000_000_000) : 0;
}
