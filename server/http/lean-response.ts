// Response without fetch's Response and streams, whose construction dominated the cost of a call.
import type { ServerResponse } from 'node:http';

export type ResponseHeaders = Record<string, string>;

/** A body that writes itself in pieces. */
export interface PipedBody {
  /** Called after the headers are set. */
  pipe(destination: ServerResponse): void;
  /** Called when the connection has closed, possibly after a regular end. */
  destroy(): void;
}

/** Response of a direct route. */
export type DirectResponse = Response | LeanResponse;

/** Response with a buffer. Modifies `headers`. */
export function bufferResponse(status: number, headers: ResponseHeaders, body: Buffer): Response {
  headers['content-length'] = String(body.length);
  // Deliberately not a Response: it has the members that the router and others use.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return new LeanResponse(status, headers, body) as unknown as Response;
}

/** Response with a streamed body. Only direct routes may return one, as its type enforces: it is no `Response`. */
export function streamResponse(status: number, headers: ResponseHeaders, body: PipedBody): LeanResponse {
  return new LeanResponse(status, headers, body);
}

/** Response whose handler takes over the connection. Only for upgrade requests. */
export function takenOver(taking: Taking): LeanResponse {
  return new TakenOver(taking);
}

export interface Taking {
  take(): void;
  /** Called if the client has disconnected. */
  drop(): void;
}

/** Writes the response if the client is still connected; a promise only for one of fetch. */
export function writeResponse(response: DirectResponse, to: ServerResponse): void | Promise<void> {
  return response instanceof LeanResponse ? response.writeTo(to) : writeFetched(response, to);
}

async function writeFetched(response: Response, to: ServerResponse): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  if (isOver(to)) return;
  to.setHeaders(response.headers);
  to.statusCode = response.status;
  to.end(body);
}

/** Converts to a fetch Response. */
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
      // The client has disconnected.
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
