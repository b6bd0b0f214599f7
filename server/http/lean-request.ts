// Wraps Node's request in the parts of a fetch Request that handlers use. Bodies are read from the connection by
// `read-body.ts`.
import type { IncomingMessage } from 'node:http';

type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** Method, headers and URL; the URL is as sent, usually without a host. */
export function leanRequest(request: RequestHead): Request {
  // Deliberately not a Request: the unused parts of one (an AbortController, listeners, copied headers) are expensive.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return new LeanRequest(request) as unknown as Request;
}

class LeanRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: LeanHeaders;

  constructor({ method = 'GET', url = '/', headers }: RequestHead) {
    this.method = method;
    this.url = url;
    this.headers = new LeanHeaders(headers);
  }
}

class LeanHeaders {
  readonly #all: IncomingMessage['headers'];

  constructor(all: IncomingMessage['headers']) {
    this.#all = all;
  }

  get(name: string): string | null {
    const value = this.#all[name.toLowerCase()];
    return typeof value === 'string' ? value : (value?.join(', ') ?? null);
  }

  has(name: string): boolean {
    return this.#all[name.toLowerCase()] !== undefined;
  }
}
