// A provider over a real socket, for tests: answers in OpenAI's format or, on Claude's and Gemini's paths, in theirs, records every
// request, and misbehaves on demand. What it can be told is in `upstream-behaviour.ts`.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  chatChunks,
  chatCompletion,
  embeddingList,
  errorFor,
  isObject,
  isRefusal,
  modelObject,
  readChat,
  readEmbedding,
  seededRandom,
} from './upstream-responses.ts';
import type { ChatRequest } from './upstream-responses.ts';
import { claudeError, claudeErrorFor, messageEvents, messageOf, readMessages } from './claude-responses.ts';
import type { MessagesRequest } from './claude-responses.ts';
import { completionChunks, completionOf, readCompletion } from './openai-completions.ts';
import { readResponses, responseEvents, responseOf } from './openai-responses.ts';
import type { ResponsesRequest } from './openai-responses.ts';
import {
  geminiError,
  geminiErrorFor,
  geminiEvents,
  geminiModel,
  geminiResponse,
  readGemini,
  readGeminiEmbedding,
} from './gemini-responses.ts';
import { formOf } from './sent-form.ts';
import type { SentFile, SentForm } from './sent-form.ts';
import { imageEvents, imagesOf, readImages } from './image-responses.ts';
import type { ImageRequest } from './image-responses.ts';
import { moderationOf } from './moderation-responses.ts';
import { rerankingOf } from './rerank-responses.ts';
import type { GeminiRequest } from './gemini-responses.ts';
import type { Behaviour, Garbage, UpstreamError } from './upstream-behaviour.ts';

export type { Behaviour } from './upstream-behaviour.ts';
export { embeddingOf } from './upstream-responses.ts';

/** Where a request stands: `aborted` when the caller hung up, `cut` when the fake upstream did. */
export type Outcome = 'open' | 'complete' | 'aborted' | 'cut';

export interface UpstreamRequest {
  method: string;
  /** With the query. */
  path: string;
  headers: IncomingHttpHeaders;
  /** The body as it came. */
  text: string;
  /** The body, parsed; undefined when it is neither JSON nor a form. Of a form its texts. */
  body: unknown;
  /** The files of a form, in order. */
  files: readonly SentFile[];
  /** The key of `Authorization: Bearer`, `x-api-key` or `x-goog-api-key`, or empty. */
  key: string;
  /** Milliseconds on the clock of `performance.now()`. */
  receivedAt: number;
  outcome: Outcome;
  /** When the answer ended, for whatever reason; same clock. */
  closedAt: number | undefined;
  /** Events of the answer that were written so far. */
  eventsSent: number;
  /** Resolves with the outcome. */
  closed: Promise<Outcome>;
  /** Lets an answer go on that `holdAfter` stopped. */
  release(): void;
}

/** Which requests a behaviour is for; all given fields must match. */
export interface When {
  model?: string;
  key?: string;
  /** How often it applies before older rules are looked at again. */
  times?: number;
}

export interface FakeUpstream extends AsyncDisposable {
  /** Without a trailing slash and without `/v1`. */
  url: string;
  requests: UpstreamRequest[];
  /** From now on; the newest rule that matches wins. */
  behave(behaviour: Behaviour, when?: When): void;
  /** The next requests, one behaviour each, before any rule. */
  queue(...behaviours: Behaviour[]): void;
  /** Forgets rules, queue and recorded requests. */
  reset(): void;
  /** The request of that number (from 0) as soon as it has come. */
  request(index: number): Promise<UpstreamRequest>;
  close(): Promise<void>;
}

export interface FakeUpstreamOptions {
  port?: number;
  /** Served by `/models`. */
  models?: readonly string[];
  /** Accepted keys; any when absent. */
  keys?: readonly string[];
  behaviour?: Behaviour;
}

interface Rule {
  behaviour: Behaviour;
  when: When;
  left: number;
}

export async function startFakeUpstream(options: FakeUpstreamOptions = {}): Promise<FakeUpstream> {
  const requests: UpstreamRequest[] = [];
  const rules: Rule[] = [];
  const queued: Behaviour[] = [];
  const waiting: { index: number; resolve: (request: UpstreamRequest) => void }[] = [];
  const randoms = new Map<Behaviour, () => number>();

  const choose = (request: UpstreamRequest): Behaviour => {
    const next = queued.shift();
    if (next !== undefined) return next;
    const model = isObject(request.body) ? request.body['model'] : undefined;
    const rule = rules.findLast(
      ({ when, left }) =>
        left > 0 && (when.model === undefined || when.model === model) && (when.key === undefined || when.key === request.key),
    );
    if (rule === undefined) return options.behaviour ?? {};
    rule.left -= 1;
    return rule.behaviour;
  };

  const resolveFailing = (behaviour: Behaviour): Behaviour => {
    if (behaviour.failing === undefined) return behaviour;
    let random = randoms.get(behaviour);
    if (random === undefined) randoms.set(behaviour, (random = seededRandom(behaviour.failing.seed)));
    return random() < behaviour.failing.rate ? behaviour.failing.as : behaviour;
  };

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((cause: unknown) => response.destroy(cause instanceof Error ? cause : undefined));
  });

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const receivedAt = performance.now();
    const bytes = await readAll(incoming);
    const exchange = new Exchange(incoming, response, { bytes, form: await formOf(incoming, bytes) }, receivedAt);
    const { request } = exchange;
    requests.push(request);
    for (const waiter of waiting.filter(({ index }) => index === requests.length - 1)) waiter.resolve(request);
    const behaviour = resolveFailing(choose(request));
    if (options.keys !== undefined && !options.keys.includes(request.key)) await exchange.refuse(401, undefined, {});
    else await answer(exchange, behaviour, options.models ?? ['gpt-4o-mini', 'text-embedding-3-small']);
  };

  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const close = () =>
    new Promise<void>((resolve, reject) => {
      server.close((failure) => (failure === undefined ? resolve() : reject(failure)));
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    behave: (behaviour, when = {}) => void rules.push({ behaviour, when, left: when.times ?? Infinity }),
    queue: (...behaviours) => void queued.push(...behaviours),
    reset() {
      requests.length = rules.length = queued.length = 0;
    },
    request: (index) =>
      new Promise((resolve) => {
        const known = requests[index];
        if (known === undefined) waiting.push({ index, resolve });
        else resolve(known);
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function answer(exchange: Exchange, behaviour: Behaviour, models: readonly string[]): Promise<void> {
  if (behaviour.firstByteDelay !== undefined) await exchange.pause(behaviour.firstByteDelay);
  if (exchange.isClosed) return;
  if (behaviour.refuse === true) return exchange.cut();
  if (behaviour.status !== undefined && behaviour.status >= 300) return exchange.refuse(behaviour.status, behaviour.error, behaviour);
  if (behaviour.replay !== undefined) return replay(exchange, behaviour, behaviour.replay);
  const { method, body } = exchange.request;
  if (exchange.isGemini) return answerGemini(exchange, behaviour, models);
  const path = exchange.request.path.replace(/\?.*$/, '');
  const single = /\/models\/(.+)$/.exec(path)?.[1];
  if (method === 'GET' && path.endsWith('/models')) {
    return exchange.json({ object: 'list', data: models.map(modelObject) }, behaviour);
  }
  if (method === 'GET' && single !== undefined) {
    const name = decodeURIComponent(single);
    return models.includes(name) ? exchange.json(modelObject(name), behaviour) : exchange.refuse(404, errorFor(404), behaviour);
  }
  if (method === 'POST' && path.endsWith('/embeddings')) {
    const request = readEmbedding(body);
    if (isRefusal(request)) return exchange.refuse(400, request, behaviour);
    if (behaviour.garbage !== undefined) return garbage(exchange, behaviour.garbage, embeddingList(request, behaviour), behaviour);
    return exchange.json(embeddingList(request, behaviour), behaviour);
  }
  if (method === 'POST' && /\/(?:moderations|rerank)$/.test(path)) {
    const response = path.endsWith('/rerank') ? rerankingOf(body, behaviour) : moderationOf(body, behaviour);
    if (isRefusal(response)) return exchange.refuse(400, response, behaviour);
    if (behaviour.garbage !== undefined) return garbage(exchange, behaviour.garbage, response, behaviour);
    return exchange.json(response, behaviour);
  }
  if (method === 'POST' && /\/images\/(?:generations|edits|variations)$/.test(path)) {
    const request = readImages(body, path.split('/').at(-1) ?? '', exchange.request.files);
    return isRefusal(request) ? exchange.refuse(400, request, behaviour) : pictures(exchange, request, behaviour);
  }
  if (method === 'POST' && path.endsWith('/count_tokens')) return exchange.json({ input_tokens: 4242 }, behaviour);
  if (method === 'POST' && path.endsWith('/messages')) {
    const request = readMessages(body, String(exchange.request.headers['anthropic-beta'] ?? ''));
    return isRefusal(request) ? exchange.refuse(400, request, behaviour) : messages(exchange, request, behaviour);
  }
  if (method === 'POST' && path.endsWith('/responses')) {
    const request = readResponses(body);
    return isRefusal(request) ? exchange.refuse(400, request, behaviour) : responses(exchange, request, behaviour);
  }
  if (method === 'POST' && path.endsWith('/completions') && !path.endsWith('/chat/completions')) {
    const request = readCompletion(body);
    if (isRefusal(request)) return exchange.refuse(400, request, behaviour);
    if (!request.stream) return exchange.json(completionOf(request, behaviour), behaviour);
    exchange.head(200, 'text/event-stream; charset=utf-8', behaviour);
    for (const chunk of completionChunks(request, behaviour)) await exchange.event(JSON.stringify(chunk), behaviour);
    await exchange.event('[DONE]', behaviour);
    return exchange.end();
  }
  if (method === 'POST' && (path.endsWith('/chat/completions') || (isObject(body) && 'messages' in body))) {
    const request = readChat(body);
    if (isRefusal(request)) return exchange.refuse(400, request, behaviour);
    return chat(exchange, request, behaviour);
  }
  const message = `Invalid URL (${method} ${path})`;
  return exchange.refuse(404, { message, type: 'invalid_request_error', param: null, code: null }, behaviour);
}

async function chat(exchange: Exchange, request: ChatRequest, behaviour: Behaviour): Promise<void> {
  const id = `chatcmpl-${randomId(29)}`;
  const kind = behaviour.garbage;
  if (kind === 'json to a stream') return exchange.json(chatCompletion(request, behaviour, id), behaviour);
  if (kind === 'stream to a json call') return stream(exchange, { ...request, stream: true }, behaviour, id);
  if (kind !== undefined) return garbage(exchange, kind, chatCompletion(request, behaviour, id), behaviour);
  return request.stream ? stream(exchange, request, behaviour, id) : exchange.json(chatCompletion(request, behaviour, id), behaviour);
}

async function pictures(exchange: Exchange, request: ImageRequest, behaviour: Behaviour): Promise<void> {
  const kind = behaviour.garbage;
  if (kind !== undefined && kind !== 'json to a stream') return garbage(exchange, kind, imagesOf(request, behaviour), behaviour);
  if (!request.stream || kind !== undefined) return exchange.json(imagesOf(request, behaviour), behaviour);
  exchange.head(200, 'text/event-stream; charset=utf-8', behaviour);
  let index = 0;
  for (const event of imageEvents(request, behaviour)) {
    if (index > 0 && (await stopsHere(exchange, behaviour, index - 1))) return;
    if (exchange.isClosed) return;
    await exchange.event(JSON.stringify(event), behaviour, event.type);
    index += 1;
  }
  exchange.end();
}

/** Gemini's format. */
async function answerGemini(exchange: Exchange, behaviour: Behaviour, models: readonly string[]): Promise<void> {
  const { method, path, body } = exchange.request;
  if (method === 'GET') return exchange.json({ models: models.map(geminiModel) }, behaviour);
  if (path.endsWith(':countTokens')) return exchange.json({ totalTokens: 4242 }, behaviour);
  if (/:(?:embedContent|batchEmbedContents)$/.test(path)) {
    const asked = readGeminiEmbedding(path, body);
    return isRefusal(asked) ? exchange.refuse(400, asked, behaviour) : exchange.json(asked, behaviour);
  }
  const request = readGemini(path, body);
  if (isRefusal(request)) return exchange.refuse(400, request, behaviour);
  return generateContent(exchange, request, behaviour);
}

async function generateContent(exchange: Exchange, request: GeminiRequest, behaviour: Behaviour): Promise<void> {
  const id = randomId(22);
  const kind = behaviour.garbage;
  const isWhole = kind === 'json to a stream' || (kind === undefined && !request.stream);
  if (isWhole) return exchange.json(geminiResponse(request, behaviour, id), behaviour);
  if (kind !== undefined && kind !== 'stream to a json call')
    return garbage(exchange, kind, geminiResponse(request, behaviour, id), behaviour);
  exchange.head(200, 'text/event-stream', behaviour);
  let index = 0;
  for (const event of geminiEvents(request, behaviour, id)) {
    if (index > 0 && (await stopsHere(exchange, behaviour, index - 1))) return;
    if (index > 0 && behaviour.chunkDelay !== undefined) await exchange.pause(behaviour.chunkDelay);
    if (exchange.isClosed) return;
    await exchange.event(JSON.stringify(event), behaviour);
    index += 1;
  }
  exchange.end();
}

/** Claude's format. Whatever garbage is asked for is the same in both. */
async function messages(exchange: Exchange, request: MessagesRequest, behaviour: Behaviour): Promise<void> {
  const id = `msg_${randomId(24)}`;
  const kind = behaviour.garbage;
  const isWhole = kind === 'json to a stream' || (kind === undefined && !request.stream);
  if (isWhole) return exchange.json(messageOf(request, behaviour, id), behaviour);
  if (kind !== undefined && kind !== 'stream to a json call') return garbage(exchange, kind, messageOf(request, behaviour, id), behaviour);
  exchange.head(200, 'text/event-stream; charset=utf-8', behaviour);
  let index = 0;
  for (const event of messageEvents(request, behaviour, id)) {
    if (index > 0 && (await stopsHere(exchange, behaviour, index - 1))) return;
    if (index > 0 && behaviour.chunkDelay !== undefined) await exchange.pause(behaviour.chunkDelay);
    if (exchange.isClosed) return;
    if (event.type === 'message_stop' && behaviour.withoutDone === true) break;
    await exchange.event(JSON.stringify(event), behaviour, event.type);
    index += 1;
  }
  exchange.end();
}

/** OpenAI's Responses. Whatever garbage is asked for is the same in all. */
async function responses(exchange: Exchange, request: ResponsesRequest, behaviour: Behaviour): Promise<void> {
  const id = `resp_${randomId(24)}`;
  const kind = behaviour.garbage;
  const isWhole = kind === 'json to a stream' || (kind === undefined && !request.stream);
  if (isWhole) return exchange.json(responseOf(request, behaviour, id), behaviour);
  if (kind !== undefined && kind !== 'stream to a json call') return garbage(exchange, kind, responseOf(request, behaviour, id), behaviour);
  exchange.head(200, 'text/event-stream; charset=utf-8', behaviour);
  let index = 0;
  for (const event of responseEvents(request, behaviour, id)) {
    if (index > 0 && (await stopsHere(exchange, behaviour, index - 1))) return;
    if (index > 0 && behaviour.chunkDelay !== undefined) await exchange.pause(behaviour.chunkDelay);
    if (exchange.isClosed) return;
    if (behaviour.withoutDone === true && event['response'] !== undefined && index > 1) break;
    await exchange.event(JSON.stringify(event), behaviour, event.type);
    index += 1;
  }
  exchange.end();
}

async function stream(exchange: Exchange, request: ChatRequest, behaviour: Behaviour, id: string): Promise<void> {
  exchange.head(200, 'text/event-stream; charset=utf-8', behaviour);
  let index = 0;
  for (const chunk of chatChunks(request, behaviour, id)) {
    // The event at `index` follows `index − 1` events after the first one.
    if (index > 0 && (await stopsHere(exchange, behaviour, index - 1))) return;
    if (index > 0 && behaviour.chunkDelay !== undefined) await exchange.pause(behaviour.chunkDelay);
    if (exchange.isClosed) return;
    await exchange.event(JSON.stringify(chunk), behaviour);
    index += 1;
  }
  if (behaviour.withoutDone !== true) await exchange.event('[DONE]', behaviour);
  exchange.end();
}

/** True when the answer ended before its time. */
async function stopsHere(exchange: Exchange, behaviour: Behaviour, sent: number): Promise<boolean> {
  if (behaviour.holdAfter === sent) await exchange.hold();
  if (exchange.isClosed) return true;
  if (behaviour.cutAfter === sent) {
    exchange.cut();
    return true;
  }
  if (behaviour.errorAfter === sent) {
    const error = exchange.errorBody(behaviour.error, 500);
    await exchange.event(JSON.stringify(error), behaviour, exchange.isClaude ? 'error' : undefined);
    exchange.end();
    return true;
  }
  if (behaviour.endAfter === sent) {
    exchange.end();
    return true;
  }
  return false;
}

async function replay(exchange: Exchange, behaviour: Behaviour, name: string): Promise<void> {
  const bytes = await readFile(new URL(`../fixtures/upstream/${name}`, import.meta.url));
  const isStream = name.endsWith('.sse');
  exchange.head(behaviour.status ?? 200, isStream ? 'text/event-stream; charset=utf-8' : 'application/json', behaviour);
  await exchange.write(bytes, behaviour.bytesPerWrite);
  exchange.end();
}

async function garbage(exchange: Exchange, kind: Garbage, whole: object, behaviour: Behaviour): Promise<void> {
  const text = JSON.stringify(whole);
  const page = '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>';
  const bodies: Partial<Record<Garbage, [type: string, body: string | Buffer]>> = {
    html: ['text/html; charset=utf-8', page],
    text: ['application/json', 'upstream connect error or disconnect/reset before headers'],
    empty: ['application/json', ''],
    'half json': ['application/json', text.slice(0, Math.floor(text.length / 2))],
    'wrong json': ['application/json', '[]'],
    'error object': ['application/json', JSON.stringify({ error: behaviour.error ?? errorFor(500) })],
    bytes: ['application/json', Buffer.from([0xff, 0xfe, 0x80, 0x00, 0xc3, 0x28])],
    'invalid events': ['text/event-stream', 'data: {"id":\n\nnonsense\n\ndata: <html>\n\n'],
  };
  const [type, body] = bodies[kind] ?? ['text/event-stream', ''];
  exchange.head(200, type, behaviour);
  if (kind === 'endless line') await exchange.flood('data: {"id":"', 'x'.repeat(65_536));
  else await exchange.write(Buffer.from(body), undefined);
  exchange.end();
}

/** One request and the answer to it. */
class Exchange {
  readonly request: UpstreamRequest;
  readonly #response: ServerResponse;
  #isCut = false;
  #isReleased = false;
  #wake: () => void = () => {};

  constructor(
    incoming: IncomingMessage,
    response: ServerResponse,
    { bytes, form }: { bytes: Buffer; form: SentForm | null },
    receivedAt: number,
  ) {
    const text = form === null ? bytes.toString('utf8') : '';
    this.#response = response;
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.request = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      text,
      body: form === null ? parse(text) : form.texts,
      files: form?.files ?? [],
      key:
        /^Bearer (.*)$/.exec(incoming.headers.authorization ?? '')?.[1] ??
        String(incoming.headers['x-api-key'] ?? incoming.headers['x-goog-api-key'] ?? ''),
      receivedAt,
      outcome: 'open',
      closedAt: undefined,
      eventsSent: 0,
      closed: promise,
      release: () => {
        this.#isReleased = true;
        this.#wake();
      },
    };
    const settle = () => {
      if (this.request.outcome !== 'open') return;
      this.request.outcome = this.#isCut ? 'cut' : response.writableFinished ? 'complete' : 'aborted';
      this.request.closedAt = performance.now();
      this.#wake();
      resolve(this.request.outcome);
    };
    response.on('close', settle);
    // The caller may have hung up while its body was read.
    if (incoming.socket.destroyed) settle();
  }

  get isClosed(): boolean {
    return this.request.outcome !== 'open';
  }

  head(status: number, type: string, behaviour: Behaviour): void {
    const retryAfter = behaviour.retryAfter === undefined ? {} : { 'retry-after': String(behaviour.retryAfter) };
    this.#response.writeHead(status, {
      'content-type': type,
      'x-request-id': `req_${randomId(32)}`,
      'openai-version': '2020-10-01',
      'openai-processing-ms': '12',
      ...retryAfter,
      ...behaviour.headers,
    });
    this.#response.flushHeaders();
  }

  /** The call came on a path of Gemini's format. */
  get isGemini(): boolean {
    return /^\/v1(?:beta|alpha)?\/models\/[^?]*:\w+|^\/v1beta\/models(?:\?|$)/.test(this.request.path);
  }

  /** The call came on a path of Claude's format. */
  get isClaude(): boolean {
    return /\/messages(?:\?|$)/.test(this.request.path);
  }

  /** In the format of the call; the error that belongs to the status unless another is given. */
  errorBody(error: UpstreamError | undefined, status: number): object {
    if (this.isGemini) return geminiError(error ?? geminiErrorFor(status), status);
    return this.isClaude ? claudeError(error ?? claudeErrorFor(status)) : { error: error ?? errorFor(status) };
  }

  async refuse(status: number, error: UpstreamError | undefined, behaviour: Behaviour): Promise<void> {
    this.head(status, 'application/json; charset=utf-8', behaviour);
    await this.write(Buffer.from(JSON.stringify(this.errorBody(error, status))), undefined);
    this.end();
  }

  /** A whole answer; `holdAfter` and `cutAfter` count its bytes. */
  async json(value: object, behaviour: Behaviour): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(value));
    const stop = behaviour.holdAfter ?? behaviour.cutAfter;
    this.head(200, 'application/json', { ...behaviour, headers: { 'content-length': String(bytes.length), ...behaviour.headers } });
    if (stop === undefined) await this.write(bytes, behaviour.bytesPerWrite);
    else {
      await this.write(bytes.subarray(0, stop), behaviour.bytesPerWrite);
      if (behaviour.holdAfter !== undefined) await this.hold();
      if (this.isClosed) return;
      if (behaviour.cutAfter !== undefined) return this.cut();
      await this.write(bytes.subarray(stop), behaviour.bytesPerWrite);
    }
    this.end();
  }

  async event(data: string, behaviour: Behaviour, name?: string): Promise<void> {
    const lineEnd = behaviour.lineEnd ?? '\n';
    const comment = behaviour.comments === true ? `: PROCESSING${lineEnd}${lineEnd}` : '';
    const named = name === undefined ? '' : `event: ${name}${lineEnd}`;
    await this.write(Buffer.from(`${comment}${named}data: ${data}${lineEnd}${lineEnd}`), behaviour.bytesPerWrite);
    this.request.eventsSent += 1;
  }

  async write(bytes: Buffer, perWrite: number | undefined): Promise<void> {
    const size = perWrite ?? Math.max(bytes.length, 1);
    for (let start = 0; start < bytes.length && !this.isClosed; start += size) {
      if (!this.#response.write(bytes.subarray(start, start + size))) await this.#drained();
      // A write of its own, so that the pieces leave in packets of their own.
      if (perWrite !== undefined) await new Promise(setImmediate);
    }
  }

  /** Writes `text` over and over until somebody hangs up; never more than 256 MiB. */
  async flood(start: string, text: string): Promise<void> {
    await this.write(Buffer.from(start), undefined);
    const bytes = Buffer.from(text);
    for (let sent = 0; sent < 256 * 1024 * 1024 && !this.isClosed; sent += bytes.length) await this.write(bytes, undefined);
  }

  /** Ends early when the caller hangs up. */
  async pause(milliseconds: number): Promise<void> {
    if (this.isClosed) return;
    await new Promise<void>((resolve) => {
      const timer = Number.isFinite(milliseconds) ? setTimeout(resolve, milliseconds) : undefined;
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async hold(): Promise<void> {
    if (!this.#isReleased) await this.pause(Infinity);
  }

  cut(): void {
    this.#isCut = true;
    // What was written is held together until the next tick; it is to arrive before the end does.
    setImmediate(() => this.#response.destroy());
  }

  end(): void {
    if (!this.isClosed) this.#response.end();
  }

  async #drained(): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = () => {
        this.#response.off('drain', end);
        this.#response.off('close', end);
        resolve();
      };
      this.#response.on('drain', end);
      this.#response.on('close', end);
    });
  }
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function randomId(length: number): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  return Array.from({ length }, () => letters[Math.floor(Math.random() * letters.length)]).join('');
}
