// Sends one upstream request through undici's dispatch, without fetch or web streams. Responses are a whole buffer, or
// a stream of chunks with back-pressure and abort in both directions.
import type { Dispatcher } from 'undici';
import type { Readable } from 'node:stream';
import { type OpenBody, PiecedBody } from '#server/framing/byte-source.ts';
import type { SocketEnd } from '#server/formats/upstream-dialect.ts';
import type { Framing } from '#server/framing/framing.ts';
import { type BodyDecoder, decodeBody, encodingsOf, ExpansionError, withoutMark } from './decode-body.ts';
import { type ConnectionFigures, createDispatchers } from './dispatchers.ts';
import type { Sieve } from './event-sieve.ts';
import { SendFailure } from './send-failure.ts';
import { type Flow, UpstreamStream } from './upstream-stream.ts';
import { upgradeThrough } from './upgrade.ts';

/** Long bodies are read while they are sent. */
export type UpstreamBody = Buffer | PiecedBody;

export interface SendRequest {
  /** `https://api.openai.com` */
  origin: string;
  /** Path with query. */
  path: string;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  headers: Readonly<Record<string, string>>;
  body: UpstreamBody | null;
  /** Streaming was requested: a response that begins like a stream is treated as one, whatever its content type. */
  isStream?: boolean;
  /** Framing of streamed responses. */
  framing: Framing;
  /** `http:`, `https:` or `socks5:` URL; null for none. */
  proxy: string | null;
  /** Sends the body as one WebSocket message. If undefined, HTTP is used. */
  socket?: SocketEnd | undefined;
  /** Collects a streamed response into a whole one, through this filter. */
  createSieve?: (() => Sieve) | undefined;
  /** Returns the request signed with a new token, if the cached one is rejected. @throws {SigningFailure} */
  renew?: () => Promise<SendRequest>;
}

export type ResponseHeaders = Record<string, string | string[] | undefined>;

export interface WholeResponse {
  kind: 'whole';
  status: number;
  headers: ResponseHeaders;
  body: Buffer;
}

export interface StreamResponse {
  kind: 'stream';
  status: number;
  headers: ResponseHeaders;
  stream: UpstreamStream;
}

export interface SendLimits {
  /** Time until a stream begins, or until a whole response has been received. */
  responseMs: number;
  /** Maximum bytes of a response that is not a stream. */
  maxBytes: number;
  /** Shared capacity for long responses. */
  room?: ResponseRoom | undefined;
}

export interface ResponseRoom {
  /** Reports the bytes of the response so far. If false, reading pauses until `resume` is called. */
  grow(bytes: number, resume: () => void): boolean;
}

/** A request in progress. */
export interface Sending {
  readonly response: Promise<WholeResponse | StreamResponse>;
  /** A connection is established: the upstream may be working on the request. */
  readonly isSent: boolean;
  /** Calls `mayHold` with each new size of a whole response; false aborts the call. */
  limitBy(mayHold: (bytes: number) => boolean): void;
  /** Closes the upstream connection at once; has no effect after the response has ended. */
  abort(): void;
}

export interface Sender {
  send(request: SendRequest, limits: SendLimits): Sending;
  /** Requests a WebSocket; `responseMs` limits the handshake. */
  upgrade(
    request: Pick<SendRequest, 'origin' | 'path' | 'headers' | 'proxy'>,
    limits: Pick<SendLimits, 'responseMs'>,
  ): ReturnType<typeof upgradeThrough>;
  readonly connections: ConnectionFigures;
  close(): Promise<void>;
}

/** Responses up to this size do not need shared capacity. */
const shortResponse = 256 * 1024;
const nothing = Buffer.alloc(0);
export function createSender(): Sender {
  const dispatchers = createDispatchers();

  return {
    send(request, limits) {
      const { origin, path, method, body, proxy } = request;
      const isPieced = body instanceof PiecedBody;
      const source = isPieced ? body.open() : null;
      // undici accepts any iterable and applies back-pressure; its types only name streams.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const sent: Dispatcher.DispatchOptions['body'] = isPieced ? (source as AsyncIterable<Buffer> as Readable) : body;
      const headers = isPieced ? { ...request.headers, 'content-length': String(body.size) } : request.headers;
      const exchange = new Exchange(limits, request, source);
      try {
        // The exchange has its own timeouts; without these, proxy pools would apply their defaults.
        const untimed = { headersTimeout: 0, bodyTimeout: 0 };
        dispatchers.of(origin, proxy).dispatch({ origin, path, method, headers, body: sent, ...untimed }, exchange);
      } catch (cause) {
        exchange.refuse(cause);
      }
      return exchange;
    },
    upgrade: (request, { responseMs }) => upgradeThrough(dispatchers.ofSocket(request.origin, request.proxy), request, responseMs),
    get connections() {
      return dispatchers.connections;
    },
    close: () => dispatchers.close(),
  };
}

/** Handler of one undici request. */
class Exchange implements Dispatcher.DispatchHandler, Sending {
  readonly response: Promise<WholeResponse | StreamResponse>;
  readonly #limits: SendLimits;
  /** The body, if it is read while it is sent. */
  readonly #source: OpenBody | null;
  #mayHold: ((bytes: number) => boolean) | undefined;
  readonly #isStreamRequested: boolean;
  readonly #framing: Framing;
  readonly #createSieve: SendRequest['createSieve'];
  #sieve: Sieve | null = null;
  #timer: NodeJS.Timeout;
  /** Monotonic milliseconds. */
  #deadline: number;
  readonly #resolve: (response: WholeResponse | StreamResponse) => void;
  readonly #reject: (failure: SendFailure) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #headers: ResponseHeaders = {};
  #chunks: Buffer[] = [];
  #size = 0;
  /** Time since which reading is paused for capacity; monotonic milliseconds. */
  #pausedAt: number | undefined;
  #stream: UpstreamStream | null = null;
  #failure: SendFailure | null = null;
  #isEnded = false;
  /** Decompresses the response; null if it is not compressed. */
  #decoder: BodyDecoder | null = null;
  /** All bytes have arrived; a decoder may still hold some. */
  #hasArrived = false;
  /** The first bytes will decide whether the response is a stream. */
  #isUndecided = false;

  constructor(limits: SendLimits, { isStream = false, framing, createSieve }: SendRequest, source: OpenBody | null) {
    this.#limits = limits;
    this.#source = source;
    this.#isStreamRequested = isStream;
    this.#framing = framing;
    this.#createSieve = createSieve;
    const { promise, resolve, reject } = Promise.withResolvers<WholeResponse | StreamResponse>();
    this.response = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#deadline = performance.now() + limits.responseMs;
    this.#timer = this.#startTimer();
  }

  get isSent(): boolean {
    return this.#controller !== null;
  }

  limitBy(mayHold: (bytes: number) => boolean): void {
    this.#mayHold = mayHold;
    if (this.#stream === null && !mayHold(this.#size)) this.abort();
  }

  abort(): void {
    this.#stop(new SendFailure('aborted', 'the call was ended'));
  }

  /** The request cannot be sent, such as for an invalid URL or proxy. */
  refuse(cause: unknown): void {
    this.#stop(new SendFailure('network', cause instanceof Error ? cause.message : String(cause), { cause }));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== null) controller.abort(this.#failure);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    const encodings = encodingsOf(headers['content-encoding']);
    if (encodings === null) {
      this.#stop(new SendFailure('unreadable', 'the response has an encoding that is not known'));
      return;
    }
    if (encodings.length > 0) this.#decode(controller, encodings);
    if (status !== 200) return;
    if (this.#createSieve !== undefined) {
      this.#sieve = this.#createSieve();
      return;
    }
    const isDeclared = single(headers['content-type'])?.trimStart().toLowerCase().startsWith(this.#framing.mediaType) === true;
    if (isDeclared && this.#isStreamRequested) this.#becomeStream(controller);
    else this.#isUndecided = isDeclared || this.#isStreamRequested;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#decoder === null) this.#receive(controller, chunk);
    else if (!this.#decoder.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#hasArrived = true;
    if (this.#decoder === null) this.#complete();
    else this.#decoder.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    this.#decoder?.destroy();
    this.#break(this.#failure ?? new SendFailure('network', cause.message, { cause }));
  }

  #decode(controller: Dispatcher.DispatchController, encodings: NonNullable<ReturnType<typeof encodingsOf>>): void {
    this.#decoder = decodeBody(encodings, {
      data: (chunk) => this.#receive(controller, chunk),
      end: () => this.#complete(),
      fail: (cause) => this.#stop(new SendFailure(cause instanceof ExpansionError ? 'too_large' : 'unreadable', cause.message, { cause })),
      drain: () => controller.resume(),
    });
  }

  #becomeStream(controller: Dispatcher.DispatchController): void {
    clearTimeout(this.#timer);
    this.#stream = new UpstreamStream(this.#decoder ?? controller, () => this.abort());
    this.#resolve({ kind: 'stream', status: this.#status, headers: this.#headers, stream: this.#stream });
  }

  /** Handles decoded bytes of the response. */
  #receive(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#stream !== null) {
      this.#stream.push(chunk);
      return;
    }
    const stored = this.#sieve?.push(chunk) ?? chunk;
    this.#size += stored.length;
    const held = this.#size + (this.#sieve?.held ?? 0);
    if (held > this.#limits.maxBytes || this.#mayHold?.(held) === false) {
      this.#stop(new SendFailure('too_large', 'the response is too large'));
      return;
    }
    if (stored.length === 0) return;
    this.#chunks.push(stored);
    if (this.#size > shortResponse) this.#askForRoom(this.#decoder ?? controller);
    if (this.#isUndecided) this.#decide(controller);
  }

  #askForRoom(flow: Flow): void {
    const { room } = this.#limits;
    if (room === undefined) return;
    if (room.grow(this.#size, () => this.#resume(flow))) {
      if (this.#pausedAt !== undefined) this.#resume(flow);
      return;
    }
    // The time that reading is paused does not count against the upstream.
    clearTimeout(this.#timer);
    this.#pausedAt ??= performance.now();
    flow.pause();
  }

  #resume(flow: Flow): void {
    const isOpen = !this.#isEnded && this.#failure === null && this.#stream === null;
    if (isOpen && this.#pausedAt !== undefined) {
      this.#deadline += performance.now() - this.#pausedAt;
      this.#timer = this.#startTimer();
    }
    this.#pausedAt = undefined;
    flow.resume();
  }

  #startTimer(): NodeJS.Timeout {
    return setTimeout(() => this.#stop(new SendFailure('timeout', 'no response in time')), this.#deadline - performance.now());
  }

  #decide(controller: Dispatcher.DispatchController): void {
    const begin = this.#body();
    const isStream = this.#framing.begins(begin);
    if (isStream === undefined) return;
    this.#isUndecided = false;
    if (!isStream) return;
    this.#chunks = [];
    this.#becomeStream(controller);
    this.#stream?.push(begin);
  }

  #body(): Buffer {
    const [chunk = nothing] = this.#chunks;
    return this.#chunks.length < 2 ? chunk : Buffer.concat(this.#chunks, this.#size);
  }

  #complete(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#source?.close();
    clearTimeout(this.#timer);
    if (this.#sieve !== null) this.#keepRest(this.#sieve.end());
    if (this.#stream !== null) this.#stream.pushEnd();
    else this.#resolve({ kind: 'whole', status: this.#status, headers: this.#headers, body: withoutMark(this.#body()) });
  }

  #keepRest(rest: Buffer): void {
    this.#size += rest.length;
    this.#chunks.push(rest);
  }

  #break(failure: SendFailure): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#source?.close();
    clearTimeout(this.#timer);
    if (this.#stream !== null) this.#stream.pushFailure(failure);
    else this.#reject(failure);
  }

  #stop(failure: SendFailure): void {
    if (this.#isEnded || this.#failure !== null) return;
    this.#failure = failure;
    clearTimeout(this.#timer);
    this.#decoder?.destroy();
    // All bytes have arrived and are being decoded: there is nothing to abort.
    if (this.#hasArrived) this.#break(failure);
    // Without a controller the request has no connection yet, and ends when it gets one; the caller does not wait for
    // that.
    else if (this.#controller === null) {
      this.#source?.close();
      this.#reject(failure);
    } else this.#controller.abort(failure); // Triggers `onResponseError`.
  }
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
