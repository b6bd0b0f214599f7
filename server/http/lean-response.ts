// What answers a call without a fetch Response: building a real one with its streams is what made the middle of the path slow.
import type { ServerResponse } from 'node:http';

export type ResponseHeaders = Record<string, string>;

/** A body that writes itself, bit by bit. */
export interface PipedBody {
  /** The headers are set by then. */
  pipe(destination: ServerResponse): void;
  /** The connection has closed, perhaps after a proper end. */
  destroy(): void;
}

/** What a direct route answers with. */
export type DirectResponse = Response | LeanResponse;

/** A response with a buffer. `headers` is written into afterwards. */
export function bufferResponse(status: number, headers: ResponseHeaders, body: Buffer): Response {
  headers['content-length'] = String(body.length);
  return asResponse(new LeanResponse(status, headers, body));
}

/** A response whose body arrives bit by bit. Only direct routes may give one, which its type says: it is no `Response`. */
export function streamResponse(status: number, headers: ResponseHeaders, body: PipedBody): LeanResponse {
  return new LeanResponse(status, headers, body);
}

/** Whoever takes the connection over answers on it. Only for a request that asks for another protocol. */
export function takenOver(taking: Taking): LeanResponse {
  return new TakenOver(taking);
}

export interface Taking {
  take(): void;
  /** The client has gone meanwhile. */
  drop(): void;
}

/** Writes it, if the client is still there. */
export async function writeResponse(response: DirectResponse, to: ServerResponse): Promise<void> {
  if (response instanceof LeanResponse) {
    response.writeTo(to);
    return;
  }
  const body = Buffer.from(await response.arrayBuffer());
  if (isOver(to)) return;
  to.setHeaders(response.headers);
  to.statusCode = response.status;
  to.end(body);
}

/** For who knows only those of fetch. */
export function fetchResponse(response: DirectResponse): Response {
  return response instanceof LeanResponse ? response.toFetch() : response;
}

function isOver(response: ServerResponse): boolean {
  return response.closed || response.destroyed || response.writableEnded;
}

class LeanResponse {
  readonly status: number;
  readonly headers: LeanHeaders;
  readonly #body: Buffer | PipedBody;

  constructor(status: number, headers: ResponseHeaders, body: Buffer | PipedBody) {
    this.status = status;
    this.headers = new LeanHeaders(headers);
    this.#body = body;
  }

  writeTo(to: ServerResponse): void {
    const body = this.#body;
    if (isOver(to)) {
      // Nobody will ask for it.
      if (!Buffer.isBuffer(body)) body.destroy();
      return;
    }
    to.writeHead(this.status, this.headers.all);
    if (Buffer.isBuffer(body)) to.end(body);
    else {
      to.once('close', () => body.destroy());
      body.pipe(to);
    }
  }

  toFetch(): Response {
    if (!Buffer.isBuffer(this.#body)) throw new TypeError('A body that writes itself needs a connection');
    return new Response(new Uint8Array(this.#body), { status: this.status, headers: this.headers.all });
  }
}

class TakenOver extends LeanResponse {
  readonly #taking: Taking;

  constructor(taking: Taking) {
    super(101, {}, Buffer.alloc(0));
    this.#taking = taking;
  }

  override writeTo(to: ServerResponse): void {
    if (isOver(to)) this.#taking.drop();
    else this.#taking.take();
  }
}

/** What the router and others touch of a response is there. */
function asResponse(lean: LeanResponse): Response {
  // Deliberately not a Response.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return lean as unknown as Response;
}

class LeanHeaders {
  readonly all: ResponseHeaders;
  constructor(all: ResponseHeaders) {
    this.all = all;
  }
  get(name: string): string | null {
    return this.all[name.toLowerCase()] ?? null;
  }
  set(name: string, value: string): void {
    this.all[name.toLowerCase()] = value;
  }
}

export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const;
