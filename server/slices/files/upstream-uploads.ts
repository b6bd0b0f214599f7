// Uploads files to a provider in parts: https://platform.openai.com/docs/api-reference/uploads
import { AppError } from '#shared/errors.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import { type MultipartFile, writeMultipart } from '#server/framing/multipart.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { PiecedBody } from '#server/framing/byte-source.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { invalidResponse, type UpstreamFailure } from '#server/exchange/upstream-error.ts';
import { channelOf, errorOf, requestAccount, type Requesting } from '#server/objects/upstream-files.ts';

type Reported = Readonly<Record<string, unknown>>;
type Answer = { reported: Reported } | { failure: UpstreamFailure };

/** Response of the provider to a new upload. */
export function beginThere(context: Requesting, channel: PreparedChannel, requested: object): Promise<Answer> {
  return post(context, channel, { path: '', ...json(requested) });
}

/**
 * Returns the provider's id of the part.
 * @throws {AppError}
 */
export async function sendPart(
  context: Requesting,
  file: FileRecord,
  { data, boundary }: { data: MultipartFile; boundary: string },
): Promise<string> {
  const body = writeMultipart([{ name: 'data', value: data }], boundary);
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` };
  return nameIn(context, await ask(context, file, { path: '/parts', body, headers }));
}

/**
 * Returns the provider's id of the completed file.
 * @throws {AppError}
 */
export async function completeThere(context: Requesting, file: FileRecord, requested: object): Promise<string> {
  const { file: made } = await ask(context, file, { path: '/complete', ...json(requested) });
  return nameIn(context, isObject(made) ? made : {});
}

/** @throws {AppError} */
export async function cancelThere(context: Requesting, file: FileRecord): Promise<void> {
  await ask(context, file, { path: '/cancel', ...json({}) });
}

interface Sent {
  path: string;
  body: Buffer | PiecedBody;
  headers: Record<string, string>;
}

function json(body: object): Pick<Sent, 'body' | 'headers'> {
  return { body: Buffer.from(JSON.stringify(body)), headers: { 'content-type': 'application/json' } };
}

async function ask(context: Requesting, file: FileRecord, sent: Sent): Promise<Reported> {
  const channel = channelOf(context, file);
  if (channel === null) throw new AppError('file_not_found', { id: file.id });
  const answer = await post(context, channel, { ...sent, path: `/${encodeURIComponent(file.upload_id ?? '')}${sent.path}` });
  if ('failure' in answer) throw errorOf(context, answer.failure);
  return answer.reported;
}

async function post(context: Requesting, channel: PreparedChannel, { path, body, headers }: Sent): Promise<Answer> {
  const received = await requestAccount(context, channel, { method: 'POST', path: `/uploads${path}`, body, headers });
  if (received.kind === 'failed') return { failure: received.failure };
  if (received.kind === 'stream') received.stream.abort();
  const reported = received.kind === 'whole' ? parseObject(received.body.toString('utf8')) : null;
  return reported === null ? { failure: invalidResponse() } : { reported };
}

const longestId = 256;

function nameIn(context: Requesting, { id }: Reported): string {
  if (typeof id !== 'string' || id === '' || id.length > longestId) throw errorOf(context, invalidResponse());
  return id;
}
