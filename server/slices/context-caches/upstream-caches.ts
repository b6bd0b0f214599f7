// Caches at a provider, accessed with the key of their channel. https://ai.google.dev/api/caching
import { AppError } from '#shared/errors.ts';
import type { ContextCacheRecord } from '#server/db/records/context-cache.ts';
import { channelOf, errorOf, requestAccount, type Requesting } from '#server/objects/upstream-files.ts';
import { bytesOfJson, LongTexts, writeJson } from '#server/framing/long-json.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { refusesChannel } from '#server/exchange/failure-consequences.ts';
import type { UpstreamBody } from '#server/exchange/send.ts';
import type { CacheRequest } from './read-cache-request.ts';
import { vertex, vertexHost } from '#server/providers/vertex.ts';
import { invalidResponse, type UpstreamFailure } from '#server/exchange/upstream-error.ts';

const names = /^(?:projects\/[\w.:-]{1,80}\/locations\/([a-z][a-z\d-]{1,40})\/)?cachedContents\/[\w-]{1,200}$/;
const pageSize = 100;
const mostPages = 100;

/** Location of a model's caches at a channel. */
export interface CachePlace {
  root: string;
  /** Prefix of the names of caches and of the model; empty for Gemini. */
  parent: string;
}

/** Returns null if the channel does not support caches of that model. */
export function placeOf(channel: PreparedChannel, { model, upstreamModel }: { model: string; upstreamModel: string }): CachePlace | null {
  const { provider, problem } = channel;
  if (problem !== null || provider?.storesCaches === undefined) return null;
  if (provider.storesCaches === 'gemini') return { root: `${channel.base}/v1beta`, parent: '' };
  const location = vertex.locate?.({ key: channel.key, other: channel.record.other, clientModel: model, model: upstreamModel });
  const parent = location?.values['parent'] ?? '';
  // API keys imply no project, and have no caches.
  if (location === undefined || location === null || parent === '') return null;
  return { root: rootAt(channel, location.base), parent };
}

/** A channel's own base URL takes precedence. */
function rootAt({ base, record }: PreparedChannel, usual: string): string {
  return `${record.base_url.trim() === '' ? usual : base}/v1`;
}

function rootOf(channel: PreparedChannel, { upstream_id: name }: Pick<ContextCacheRecord, 'upstream_id'>): string {
  const region = names.exec(name)?.[1];
  return region === undefined ? `${channel.base}/v1beta` : rootAt(channel, vertexHost(region));
}

export interface ReportedCache {
  name: string;
  tokens: number;
}

/** `isUnknown`: the response does not show whether it was done. */
export class CacheRefusal extends Error {
  readonly error: AppError;
  readonly isUnknown: boolean;

  constructor(error: AppError, isUnknown: boolean) {
    super(error.code, { cause: error });
    this.name = 'CacheRefusal';
    this.error = error;
    this.isUnknown = isUnknown;
  }
}

/** @throws {CacheRefusal} */
export async function createThere(
  context: Requesting,
  channel: PreparedChannel,
  {
    place,
    record,
    seconds,
    contents,
  }: { place: CachePlace; record: ContextCacheRecord; seconds: number; contents: CacheRequest['contents'] },
): Promise<ReportedCache> {
  const bare = record.upstream_model.replace(/^models\//, '');
  const model = place.parent === '' ? `models/${bare}` : `${place.parent}publishers/google/models/${bare}`;
  // Contents may be as large as a body: their texts are escaped while they are sent.
  const texts = new LongTexts();
  const stored = place.parent === '' ? contents : withRoles(contents);
  const body = bytesOfJson(writeJson({ model, displayName: record.id, ttl: `${seconds}s`, ...stored }, texts), texts);
  const reported = readReported(
    await ask(context, channel, { method: 'POST', root: place.root, path: `/${place.parent}cachedContents`, body }),
  );
  if (reported === null) throw new CacheRefusal(errorOf(context, invalidResponse()), true);
  return reported;
}

/** Vertex AI rejects contents without a role; the default is the user's. */
function withRoles(stored: Readonly<Record<string, unknown>>): object {
  const { contents } = stored;
  const each: unknown[] = Array.isArray(contents) ? contents : isObject(contents) ? [contents] : [];
  return each.length === 0 ? stored : { ...stored, contents: each.map((one) => (isObject(one) ? { role: 'user', ...one } : one)) };
}

/** @throws {CacheRefusal} */
export async function extendThere(context: Requesting, channel: PreparedChannel, record: ContextCacheRecord, until: number): Promise<void> {
  const body = Buffer.from(JSON.stringify({ expireTime: new Date(until * 1000).toISOString() }));
  const path = `/${record.upstream_id}?updateMask=expireTime`;
  await ask(context, channel, { method: 'PATCH', root: rootOf(channel, record), path, body });
}

/** Returns false if it may still exist. */
export async function deleteThere(context: Requesting, record: ContextCacheRecord): Promise<boolean> {
  const channel = channelOf(context, record);
  // With another key it cannot be reached; the provider deletes it when it expires.
  if (channel === null || record.upstream_id === '') return true;
  const received = await requestAccount(context, channel, {
    method: 'DELETE',
    root: rootOf(channel, record),
    path: `/${record.upstream_id}`,
  });
  if (received.kind === 'stream') received.stream.abort();
  if (received.kind !== 'failed') return true;
  const { upstreamStatus: status } = received.failure;
  // Google reports deleted caches as forbidden.
  return status === 404 || status === 403 || (status > 200 && status < 300);
}

/** Finds the name of a cache whose creation got no response. Returns null if there is none, undefined if not known. */
export async function findThere(
  context: Requesting,
  channel: PreparedChannel,
  record: ContextCacheRecord,
): Promise<string | null | undefined> {
  const place = placeOf(channel, { model: record.model, upstreamModel: record.upstream_model });
  if (place === null) return null;
  let token = '';
  for (let page = 0; page < mostPages; page += 1) {
    const path = `/${place.parent}cachedContents?pageSize=${pageSize}${token}`;
    const received = await requestAccount(context, channel, { method: 'GET', root: place.root, path });
    if (received.kind === 'stream') received.stream.abort();
    const list = received.kind === 'whole' ? parseObject(received.body.toString('utf8')) : null;
    if (list === null) return undefined;
    const { cachedContents: caches = [], nextPageToken: next } = list;
    if (!Array.isArray(caches)) return undefined;
    const found = caches.find((one) => isObject(one) && one['displayName'] === record.id);
    if (isObject(found)) return readReported(found)?.name ?? null;
    if (typeof next !== 'string' || next === '') return null;
    token = `&pageToken=${encodeURIComponent(next)}`;
  }
  return undefined;
}

async function ask(
  context: Requesting,
  channel: PreparedChannel,
  { method, root, path, body }: { method: 'POST' | 'PATCH'; root: string; path: string; body: UpstreamBody },
): Promise<Readonly<Record<string, unknown>>> {
  const headers = { 'content-type': 'application/json' };
  const received = await requestAccount(context, channel, { method, root, path, body, headers });
  if (received.kind === 'failed') throw refusalBy(context, received.failure);
  if (received.kind === 'stream') received.stream.abort();
  const object = received.kind === 'whole' ? parseObject(received.body.toString('utf8')) : null;
  if (object === null) throw new CacheRefusal(errorOf(context, invalidResponse()), true);
  return object;
}

/** Request errors are reported in the provider's words: a prompt may be too short to cache. */
function refusalBy(context: Requesting, failure: UpstreamFailure): CacheRefusal {
  const { upstreamStatus: status, message } = failure;
  const isUnknown = status < 400 || status >= 500 || status === 408;
  const isOfRequest = status === 400 && !refusesChannel(failure, context.settings.get('AutomaticDisableKeywords'));
  const error = isOfRequest ? new AppError('invalid_request', { detail: { zh: message, en: message } }) : errorOf(context, failure);
  return new CacheRefusal(error, isUnknown);
}

const mostTokens = 100_000_000;

function readReported({ name, usageMetadata: usage }: Readonly<Record<string, unknown>>): ReportedCache | null {
  const tokens = isObject(usage) ? usage['totalTokenCount'] : 0;
  if (typeof name !== 'string' || !names.test(name)) return null;
  const isCount = typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= mostTokens;
  return { name, tokens: isCount ? tokens : 0 };
}
