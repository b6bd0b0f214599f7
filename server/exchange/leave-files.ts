// Uploads files of a call to its provider before the call is sent, one after the other, with the channel's key. No
// model is called.
import { wholeOf } from '#server/framing/byte-source.ts';
import { randomBytes } from 'node:crypto';
import type { LeftFile } from '#server/formats/left-files.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import type { Signing } from './auth/scheme.ts';
import { authorizeRequest, type UpstreamRequest } from './build-request.ts';
import type { Exchange, OpenRequest, Received } from './exchange.ts';
import { SendFailure } from './send-failure.ts';
import { failureOfSend, invalidResponse } from './upstream-error.ts';

export interface Leaving {
  now: () => number;
  sender: Signing['sender'];
  /** Checked before each file; if false, the call is not sent. */
  isWanted: () => boolean;
  /** Time for all files. */
  responseMs: number;
  send(request: OpenRequest, responseMs: number): Exchange;
}

export type Left = { kind: 'left'; request: UpstreamRequest } | { kind: 'refused'; received: Received };

/** File ids that can be inserted into the text of a body. */
const plainName = /^[\w.-]{1,200}$/;

/**
 * Returns the call with the provider's file ids, or the response that rejected a file.
 * @throws {SigningFailure}
 */
export async function leaveFiles(call: UpstreamRequest, files: readonly LeftFile[], leaving: Leaving): Promise<Left> {
  const { now, sender, isWanted, responseMs, send } = leaving;
  const { files: _files, awaiting: _awaiting, createSieve: _createSieve, contents: _contents, ...plain } = call;
  const { desk } = call.route.dialect;
  const text = (await wholeOf(call.body)).toString('utf8');
  const body = parseObject(text);
  if (desk === undefined || body === null) throw new Error('A call with files to leave has nowhere to leave them');
  const deadline = performance.now() + responseMs;
  const names = new Map<string, string>();
  for (const file of files) {
    const left = deadline - performance.now();
    if (!isWanted() || left <= 0) return refused(isWanted() ? 'timeout' : 'aborted');
    const form = formOf(file, desk.fields(body));
    const request = { ...plain, isStream: false, path: desk.path(call.path), body: form.bytes, takesCreated: true as const };
    const headers = { ...call.route.format.headers(false), 'content-type': form.type };
    const received = await send(await authorizeRequest({ ...request, headers }, { now: now(), sender }), left).received;
    const answer = received.kind === 'whole' ? parseObject(received.body.toString('utf8')) : null;
    const name = answer === null ? undefined : desk.nameOf(answer);
    if (typeof name !== 'string' || !plainName.test(name)) return { kind: 'refused', received: refusalOf(received, call) };
    names.set(file.mark, name);
  }
  let named = text;
  for (const [mark, name] of names) named = named.replaceAll(mark, name);
  const { files: _left, ...filled } = call;
  return { kind: 'left', request: { ...filled, body: Buffer.from(named) } };
}

/** Reads an error of the provider's format as an error of the call. */
function refusalOf(received: Received, { route }: UpstreamRequest): Received {
  if (received.kind === 'failed') return received;
  if (received.kind === 'stream') received.stream.abort();
  else if (route.dialect.readError(received.body.toString('utf8'), route.provider) !== null) return received;
  return { kind: 'failed', status: 0, failure: invalidResponse(), cause: null };
}

function refused(reason: 'timeout' | 'aborted'): Left {
  const cause = new SendFailure(reason, 'the files of the call were not left with its provider');
  return { kind: 'refused', received: { kind: 'failed', status: 0, failure: failureOfSend(cause, 'first_byte'), cause } };
}

function formOf({ fileName, mediaType, base64 }: LeftFile, fields: Readonly<Record<string, string>>): { type: string; bytes: Buffer } {
  const boundary = `----file-${randomBytes(18).toString('hex')}`;
  const head = (name: string, more = '') => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n`;
  const texts = Object.entries(fields).map(([name, value]) => `${head(name)}\r\n${value}\r\n`);
  const file = `${head('file', `; filename="${fileName}"`)}Content-Type: ${mediaType}\r\n\r\n`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([Buffer.from([...texts, file].join('')), Buffer.from(base64, 'base64'), Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}
