// Files that go to a provider in parts: https://platform.openai.com/docs/api-reference/uploads
import { AppError } from '#shared/errors.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import { writeForm } from '#server/framing/multipart.ts';
import type { FormFile } from '#server/framing/multipart.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { PiecedBody } from '#server/framing/byte-source.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { invalidResponse } from '#server/exchange/upstream-error.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';
import { askAccount, channelOf, errorOf } from './upstream-files.ts';
import type { Asking } from './upstream-files.ts';

type Told = Readonly<Record<string, unknown>>;
type Answer = { told: Told } | { failure: UpstreamFailure };

/** What the provider tells of a new one. */
export function beginThere(context: Asking, channel: PreparedChannel, asked: object): Promise<Answer> {
  return post(context, channel, { path: '', ...json(asked) });
}

/** What the provider calls the part. @throws {AppError} */
export async function sendPart(
  context: Asking,
  file: FileRecord,
  { data, boundary }: { data: FormFile; boundary: string },
): Promise<string> {
  const body = writeForm([{ name: 'data', value: data }], boundary);
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` };
  return nameIn(context, await ask(context, file, { path: '/parts', body, headers }));
}

/** What the provider calls the file that it has become. @throws {AppError} */
export async function completeThere(context: Asking, file: FileRecord, asked: object): Promise<string> {
  const { file: made } = await ask(context, file, { path: '/complete', ...json(asked) });
  return nameIn(context, isObject(made) ? made : {});
}

/** @throws {AppError} */
export async function cancelThere(context: Asking, file: FileRecord): Promise<void> {
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

async function ask(context: Asking, file: FileRecord, sent: Sent): Promise<Told> {
  const channel = channelOf(context, file);
  if (channel === null) throw new AppError('file_not_found', { id: file.id });
  const answer = await post(context, channel, { ...sent, path: `/${encodeURIComponent(file.upload_id ?? '')}${sent.path}` });
  if ('failure' in answer) throw errorOf(context, answer.failure);
  return answer.told;
}

async function post(context: Asking, channel: PreparedChannel, { path, body, headers }: Sent): Promise<Answer> {
  const received = await askAccount(context, channel, { method: 'POST', path: `/uploads${path}`, body, headers });
  if (received.kind === 'failed') return { failure: received.failure };
  if (received.kind === 'stream') received.stream.abort();
  const told = received.kind === 'whole' ? parseObject(received.body.toString('utf8')) : null;
  return told === null ? { failure: invalidResponse() } : { told };
}

const longestId = 256;

function nameIn(context: Asking, { id }: Told): string {
  if (typeof id !== 'string' || id === '' || id.length > longestId) throw errorOf(context, invalidResponse());
  return id;
}
