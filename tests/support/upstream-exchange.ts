// One request to the fake upstream and the answer to it, written as its behaviour wants.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { claudeError, claudeErrorFor } from './claude-responses.ts';
import { geminiError, geminiErrorFor } from './gemini-responses.ts';
import type { SentFile, SentMultipart } from './sent-form.ts';
import type { Behaviour, UpstreamError } from './upstream-behaviour.ts';
import { errorFor } from './upstream-responses.ts';

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
  /** Resumes a response that `holdAfter` stopped. */
  release(): void;
}

/** One request and the answer to it. */
export class Exchange {
  readonly request: UpstreamRequest;
  readonly #response: ServerResponse;
  #isCut = false;
  #isReleased = false;
  #wake: () => void = () => {};

  constructor(
    incoming: IncomingMessage,
    response: ServerResponse,
    { bytes, form }: { bytes: Buffer; form: SentMultipart | null },
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

  /** Writes `text` over and over until the client disconnects; never more than 256 MiB. */
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

export async function readAll(incoming: IncomingMessage): Promise<Buffer> {
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

export function randomId(length: number): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  return Array.from({ length }, () => letters[Math.floor(Math.random() * letters.length)]).join('');
}
