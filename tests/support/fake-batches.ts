// OpenAI's batches before its files and the fake upstream: requests are worked on when a test says so.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FakeFiles, startFakeFiles } from './fake-files.ts';
import type { ProviderFront } from './provider-front.ts';
import { readAll } from './upstream-exchange.ts';
import { isObject } from './upstream-responses.ts';

export interface ProviderBatch {
  id: string;
  created_at: number;
  input_file_id: string;
  endpoint: string;
  status: string;
  output_file_id: string | null;
  error_file_id: string | null;
  request_counts: { total: number; completed: number; failed: number };
  errors: unknown;
}

export interface RunOptions {
  status?: 'completed' | 'expired' | 'cancelled';
  /** Number of requests that are processed; all by default. */
  count?: number;
  /** Of a line of results, and of all of them. */
  edit?: (line: Record<string, unknown>) => Record<string, unknown>;
  editAll?: (lines: Record<string, unknown>[]) => Record<string, unknown>[];
}

export interface FakeBatches extends ProviderFront {
  files: FakeFiles;
  batches: Map<string, ProviderBatch>;
  /** Requests about batches, as `METHOD path`. */
  requested: string[];
  /** The next ones get these; `lost`: it is done, and nothing is answered; `held`: its connection stays, and nothing comes. */
  failures: (number | 'lost' | 'cut' | 'held')[];
  /** Accepts a batch directly, without a response to a client. */
  take(input: string): ProviderBatch;
  /** Processes a batch, the newest by default, and ends it. */
  run(options?: RunOptions, id?: string): Promise<ProviderBatch>;
  /** What its requests are, as they were sent. */
  requestsOf(batch: ProviderBatch): Record<string, unknown>[];
}

const fields = new Set(['input_file_id', 'endpoint', 'completion_window', 'output_expires_after', 'metadata']);

export async function startFakeBatches(upstreamUrl: string): Promise<FakeBatches> {
  const files = await startFakeFiles(upstreamUrl);
  const batches = new Map<string, ProviderBatch>();
  const requested: string[] = [];
  const failures: FakeBatches['failures'] = [];
  const reported = (batch: ProviderBatch) => ({ ...batch, object: 'batch', completion_window: '24h' });
  const linesOf = (text: string): Record<string, unknown>[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));

  function requestsOf({ input_file_id: id }: ProviderBatch): Record<string, unknown>[] {
    return linesOf(files.files.get(id)?.bytes.toString() ?? '');
  }

  function leave(id: string, lines: Record<string, unknown>[]): string | null {
    if (lines.length === 0) return null;
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    files.files.set(id, { id, filename: `${id}.jsonl`, purpose: 'batch_output', bytes, seconds: '' });
    return id;
  }

  async function run(
    { status = 'completed', count = Infinity, edit = (line) => line, editAll = (lines) => lines }: RunOptions = {},
    id = '',
  ) {
    const batch = batches.get(id) ?? [...batches.values()].at(-1);
    if (batch === undefined) throw new Error('There is no batch');
    const done: Record<string, unknown>[] = [];
    const failed: Record<string, unknown>[] = [];
    for (const [index, { custom_id: name, url: path, body }] of requestsOf(batch).entries()) {
      if (index >= count) {
        failed.push({ id: `r${index}`, custom_id: name, response: null, error: { code: `batch_${status}`, message: 'was not done' } });
        continue;
      }
      const answer = await fetch(upstreamUrl + String(path), {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${files.channel.key}` },
        body: JSON.stringify(body),
      });
      const response = { status_code: answer.status, request_id: `q${index}`, body: await answer.json() };
      (answer.status === 200 ? done : failed).push(edit({ id: `r${index}`, custom_id: name, response, error: null }));
    }
    batch.output_file_id = leave(`${batch.id}-out`, editAll(done));
    batch.error_file_id = leave(`${batch.id}-err`, failed);
    batch.request_counts = { total: done.length + failed.length, completed: done.length, failed: failed.length };
    batch.status = status;
    return batch;
  }

  function take(input: string, endpoint = '/v1/chat/completions'): ProviderBatch {
    const made: ProviderBatch = {
      id: `batch_theirs${batches.size}`,
      created_at: 2_000_000_000,
      input_file_id: input,
      endpoint,
      status: 'validating',
      output_file_id: null,
      error_file_id: null,
      request_counts: { total: 0, completed: 0, failed: 0 },
      errors: null,
    };
    batches.set(made.id, made);
    return made;
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming;
    const body = await readAll(incoming);
    const answer = (status: number, value: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const refuse = (status: number, message: string) =>
      answer(status, { error: { message, type: 'invalid_request_error', param: null, code: null } });
    const address = new URL(url, 'http://there');
    const [, version, place, id, verb] = address.pathname.split('/');
    if (version !== 'v1' || place !== 'batches') return passOn(incoming, response, body);
    requested.push(`${method} ${url}`);
    if (headers.authorization !== `Bearer ${files.channel.key}`) return refuse(401, 'Incorrect API key provided');
    const failure = failures.shift();
    if (failure === 'cut') return void response.destroy();
    if (failure === 'held') return;
    if (typeof failure === 'number') return refuse(failure, 'as was told');
    const give = (batch: ProviderBatch) => (failure === 'lost' ? void response.destroy() : answer(200, reported(batch)));
    if (method === 'POST' && id === undefined) {
      const wanted: unknown = JSON.parse(body.toString());
      if (!isObject(wanted) || Object.keys(wanted).some((name) => !fields.has(name))) return refuse(400, 'not such fields');
      const { input_file_id: input, endpoint } = wanted;
      if (typeof input !== 'string' || files.files.get(input)?.purpose !== 'batch') return refuse(400, 'no such file of requests');
      const stored = wanted['output_expires_after'];
      if (!isObject(stored) || stored['anchor'] !== 'created_at' || typeof stored['seconds'] !== 'number')
        return refuse(400, 'no lifetime');
      if (wanted['completion_window'] !== '24h' || typeof endpoint !== 'string') return refuse(400, 'no window');
      return give(take(input, endpoint));
    }
    if (method === 'GET' && id === undefined) {
      const all = [...batches.values()].toReversed();
      const after = address.searchParams.get('after');
      const from = after === null ? 0 : all.findIndex((batch) => batch.id === after) + 1;
      const page = all.slice(from, from + 2);
      return answer(200, { object: 'list', data: page.map(reported), has_more: from + 2 < all.length });
    }
    const batch = batches.get(id ?? '');
    if (batch === undefined) return refuse(404, `No batch found with id '${id}'.`);
    if (method === 'POST' && verb === 'cancel') batch.status = 'cancelling';
    else if (method !== 'GET' || verb !== undefined) return refuse(405, 'no such method');
    give(batch);
  }

  async function passOn(incoming: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const { host: _host, 'transfer-encoding': _chunked, connection: _connection, ...passed } = incoming.headers;
    const isBodiless = incoming.method === 'GET' || incoming.method === 'HEAD';
    const forwarded = await fetch(`${files.url}${incoming.url}`, {
      method: incoming.method ?? 'GET',
      headers: passed as Record<string, string>,
      ...(isBodiless ? {} : { body: new Uint8Array(body) }),
    });
    response.writeHead(forwarded.status, { 'content-type': forwarded.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await forwarded.arrayBuffer()));
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((cause: unknown) => response.destroy(cause instanceof Error ? cause : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    channel: files.channel,
    files,
    batches,
    requested,
    failures,
    run,
    take,
    requestsOf,
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await files.close();
    },
  };
}
