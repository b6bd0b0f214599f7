// An application of Dify before the fake upstream: takes its own format strictly, and answers in its events.
import { chatOf, difyEvents, difyOf, runEvents, runOf, runResultOf } from './dify-responses.ts';
import { relayOwn } from './own-chat-relay.ts';
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, startFront } from './provider-front.ts';

const key = 'app-key';

export interface FakeDify extends ProviderFront, AsyncDisposable {
  /** The bodies of the calls that it has taken, in order. */
  readonly taken: Record<string, unknown>[];
  /** Files that lie there. */
  readonly left: LeftForm[];
  /** From now on no file is taken. */
  refuseFiles(): void;
}

interface LeftForm {
  id: string;
  user: string;
  fileName: string;
  type: string;
  bytes: Buffer;
}

/** @param other as the channel's free field says what the application is; its variable is `topic` */
export async function startFakeDify(upstreamUrl: string, other = ''): Promise<FakeDify> {
  const state: State = { taken: [], left: [], isFull: false, kind: kinds[other.split(':')[0] ?? ''] ?? 'chat-messages' };
  const front = await startFront(upstreamUrl, (request) => judge(request, state));
  const { taken, left } = state;
  const refuseFiles = () => void (state.isFull = true);
  return { ...front, [Symbol.asyncDispose]: () => front.close(), taken, left, refuseFiles, channel: { type: 37, key, other } };
}

const kinds: Readonly<Record<string, string>> = { completion: 'completion-messages', workflow: 'workflows/run' };

interface State {
  kind: string;
  taken: Record<string, unknown>[];
  left: LeftForm[];
  isFull: boolean;
}

async function judge({ method, path, headers, body }: FrontedRequest, { taken, left, isFull, kind }: State): Promise<Judgement> {
  if (headers.authorization !== `Bearer ${key}`) return refused(401, 'unauthorized', 'Access token is invalid');
  if (method === 'POST' && path === '/v1/files/upload') {
    if (isFull) return refused(413, 'file_too_large', 'File size exceeded.');
    const form = await readLeft(headers, body);
    if (form === null) return refused(400, 'no_file_uploaded', 'Please upload your file.');
    const id = `file${left.length + 1}`;
    left.push({ ...form, id });
    return { kind: 'answer', status: 201, body: { id, name: form.fileName, size: form.bytes.length, mime_type: form.type } };
  }
  if (method !== 'POST' || path !== `/v1/${kind}`) return refused(404, 'not_found', `nothing at ${path}`);
  const requested = jsonOf(body);
  taken.push(requested);
  const files = new Map(left.map(({ id, user }) => [id, user]));
  const model = 'gpt-4o-mini';
  const read = kind === 'chat-messages' ? chatOf(requested, model, files) : runOf(requested, { model, input: 'topic', left: files });
  if ('fault' in read) return refused(400, 'invalid_param', read.fault);
  return { kind: 'pass', path: '/v1/chat/completions', body: read.requested, relay: kind === 'workflows/run' ? relayRun : relay };
}

/** Parses an upload like the platform's parser; null: it has no file, or no user. */
export async function readLeft(headers: FrontedRequest['headers'], body: Buffer): Promise<Omit<LeftForm, 'id'> | null> {
  const type = headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data; boundary=')) return null;
  const form = await new Response(Uint8Array.from(body), { headers: { 'content-type': type } }).formData();
  const [user, file] = [form.get('user') ?? '', form.get('file')];
  if (typeof user !== 'string' || !(file instanceof File)) return null;
  return { user, fileName: file.name, type: file.type, bytes: Buffer.from(await file.arrayBuffer()) };
}

function refused(status: number, code: string, message: string): Judgement {
  return { kind: 'answer', status, body: { code, message, status } };
}

/** Formats of failures. */
const reported = {
  failed: { event: 'error', status: 500, code: 'internal_server_error', message: 'Internal error' },
  failure: (message: string) => ({ code: 'completion_request_error', message, status: 400 }),
};
const relay = relayOwn({ whole: difyOf, events: difyEvents, ...reported });
const relayRun = relayOwn({ whole: runResultOf, events: runEvents, ...reported });
