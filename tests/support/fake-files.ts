// OpenAI's files in front of the fake upstream: requests are checked as strictly, and files in prompts must exist.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { formOf } from './sent-form.ts';
import type { ProviderFront } from './provider-front.ts';
import { readAll } from './upstream-exchange.ts';

export interface ProviderFile {
  id: string;
  filename: string;
  purpose: string;
  bytes: Buffer;
  /** Until it goes by itself; undefined: it stays. */
  seconds: string | undefined;
  /** Missing: in no list. */
  created_at?: number;
}

export interface ProviderUpload extends Omit<ProviderFile, 'bytes'> {
  bytes: number;
  parts: Map<string, Buffer>;
}

interface UploadRequest {
  incoming: IncomingMessage;
  body: Buffer;
  id: string | undefined;
  verb: string | undefined;
  answer(status: number, value: object): unknown;
  refuse(status: number, message: string): unknown;
}

export interface FakeFiles extends ProviderFront {
  /** There now. */
  files: Map<string, ProviderFile>;
  /** Under way. */
  uploads: Map<string, ProviderUpload>;
  /** Requests about files, as `METHOD path`. */
  requested: string[];
  /** The next ones are refused with these; 0: nothing is answered; `lost`: a file is there, and nothing is answered. */
  failures: (number | 'lost')[];
  /** Is called before one goes. */
  deleting: (file: string) => void;
  /** Contents are sent only after it has resolved. */
  holdContents(until: Promise<void>): void;
}

const key = 'sk-of-the-operator';
/** What may go into vector stores. */
const storable = new Set<unknown>(['assistants', 'user_data']);
/** When the clocks of tests begin. */
const now = Date.UTC(2026, 0, 15, 8) / 1000;

export async function startFakeFiles(upstreamUrl: string): Promise<FakeFiles> {
  const files = new Map<string, ProviderFile>();
  const uploads = new Map<string, ProviderUpload>();
  const requested: string[] = [];
  const failures: FakeFiles['failures'] = [];
  let made = 0;
  let holding: Promise<void> | null = null;
  const reported = ({ id, filename, purpose, bytes, created_at }: ProviderFile) => ({
    id,
    object: 'file',
    bytes: bytes.length,
    created_at,
    filename,
    purpose,
  });

  async function serveUpload({ incoming, body, id, verb, answer, refuse }: UploadRequest): Promise<unknown> {
    requested.push(`${incoming.method} ${incoming.url}`);
    if (incoming.headers.authorization !== `Bearer ${key}`) return refuse(401, 'Incorrect API key provided');
    const failure = failures.shift();
    if (typeof failure === 'number') return refuse(failure, 'as was told');
    if (id === undefined) {
      const { filename, purpose, bytes, mime_type: type, expires_after: stored, ...others } = JSON.parse(body.toString());
      if (type === undefined || Object.keys(others).length > 0) return refuse(400, 'not such an upload');
      const begun: ProviderUpload = {
        id: `upload_theirs${made++}`,
        filename,
        purpose,
        bytes,
        seconds: stored === undefined && storable.has(purpose) ? undefined : String(stored.seconds),
        created_at: now,
        parts: new Map(),
      };
      uploads.set(begun.id, begun);
      return answer(200, { id: begun.id, object: 'upload', status: 'pending', expires_at: 1 });
    }
    const upload = uploads.get(id);
    if (upload === undefined) return refuse(404, 'no such upload');
    if (verb === 'parts') {
      const form = await formOf(incoming, body);
      const [file, second] = form?.files ?? [];
      if (file?.name !== 'data' || second !== undefined) return refuse(400, 'not such a form');
      const part = `part_theirs${upload.parts.size}`;
      upload.parts.set(part, file.bytes);
      return answer(200, { id: part, object: 'upload.part', upload_id: id });
    }
    uploads.delete(id);
    if (verb === 'cancel') return answer(200, { id, object: 'upload', status: 'cancelled' });
    const { part_ids: names } = JSON.parse(body.toString()) as { part_ids: string[] };
    const bytes = Buffer.concat(names.map((name) => upload.parts.get(name) ?? Buffer.alloc(0)));
    if (bytes.length !== upload.bytes) return refuse(400, 'The number of bytes does not match');
    const stored = {
      id: `file-joined${made++}`,
      filename: upload.filename,
      purpose: upload.purpose,
      bytes,
      seconds: upload.seconds,
      created_at: now,
    };
    files.set(stored.id, stored);
    if (failure === 'lost') return incoming.socket.destroy();
    return answer(200, { id, object: 'upload', status: 'completed', file: reported(stored) });
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming;
    const body = await readAll(incoming);
    const answer = (status: number, value: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const refuse = (status: number, message: string) =>
      answer(status, { error: { message, type: 'invalid_request_error', param: null, code: null } });
    const [, version, place, id, verb, ...more] = new URL(url, 'http://there').pathname.split('/');
    if (version === 'v1' && place === 'uploads') return void (await serveUpload({ incoming, body, id, verb, answer, refuse }));
    if (version !== 'v1' || place !== 'files') {
      for (const [, named = ''] of body.toString().matchAll(/"file_id":\s*"([^"]*)"/g))
        if (!files.has(named)) return void refuse(400, `No such File object: ${named}`);
      const { host: _host, 'transfer-encoding': _chunked, ...passed } = headers;
      const forwarded = await fetch(`${upstreamUrl}${url}`, {
        method,
        headers: passed as Record<string, string>,
        body: new Uint8Array(body),
      });
      response.writeHead(forwarded.status, { 'content-type': forwarded.headers.get('content-type') ?? '' });
      return void response.end(Buffer.from(await forwarded.arrayBuffer()));
    }
    requested.push(`${method} ${url}`);
    if (headers.authorization !== `Bearer ${key}`) return void refuse(401, 'Incorrect API key provided');
    const failure = failures.shift();
    if (failure === 0) return;
    if (typeof failure === 'number') return void refuse(failure, 'as was told');
    if (method === 'POST' && id === undefined) {
      const form = await formOf(incoming, body);
      if (form === null || Number(headers['content-length']) !== body.length) return void refuse(400, 'no form of that length');
      const { purpose, 'expires_after[anchor]': anchor, 'expires_after[seconds]': seconds, ...others } = form.texts;
      const [file, second] = form.files;
      const isStored = anchor === 'created_at' && typeof seconds === 'string';
      const stays = anchor === undefined && seconds === undefined && storable.has(String(purpose));
      const isRight = (isStored || stays) && typeof purpose === 'string' && Object.keys(others).length === 0;
      if (!isRight || file?.name !== 'file' || second !== undefined) return void refuse(400, 'not such a form');
      const stored = {
        id: `file-theirs${made++}`,
        filename: file.filename,
        purpose,
        bytes: file.bytes,
        seconds: stays ? undefined : seconds,
        created_at: now,
      };
      files.set(stored.id, stored);
      if (failure === 'lost') return void response.destroy();
      return void answer(200, reported(stored));
    }
    const { pathname, searchParams: query } = new URL(url, 'http://there');
    if (method === 'GET' && pathname === '/v1/files') {
      const all = [...files.values()].filter(({ purpose }) => purpose === query.get('purpose')).toReversed();
      const after = query.get('after');
      const from = after === null ? 0 : all.findIndex((file) => file.id === after) + 1;
      const end = from + Number(query.get('limit'));
      return void answer(200, { object: 'list', data: all.slice(from, end).map(reported), has_more: end < all.length });
    }
    const file = files.get(id ?? '');
    if (file === undefined || more.length > 0) return void refuse(404, `No such File object: ${id}`);
    if (method === 'GET' && verb === undefined) return void answer(200, reported(file));
    if (method === 'GET' && verb === 'content') await holding;
    if (method === 'GET' && verb === 'content') return void response.writeHead(200, { 'content-type': 'text/plain' }).end(file.bytes);
    if (method !== 'DELETE' || verb !== undefined) return void refuse(405, 'no such method');
    fake.deleting(file.id);
    files.delete(file.id);
    answer(200, { id: file.id, object: 'file', deleted: true });
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((cause: unknown) => response.destroy(cause instanceof Error ? cause : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeFiles = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    channel: { type: 1, key },
    files,
    uploads,
    requested,
    failures,
    deleting: () => {},
    holdContents: (until) => void (holding = until),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fake;
}
