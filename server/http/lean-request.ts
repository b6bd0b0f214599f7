// What calls are read by: Node's own request, with as much of a fetch Request around it as their handlers look at. Their bodies come
// by `read-body.ts`, from the connection.
import type { IncomingMessage } from 'node:http';

type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** Method, headers and URL; the last is as it was sent, mostly without a host. */
export function leanRequest(request: RequestHead): Request {
  // Deliberately not a Request: what a real one costs (an AbortController, listeners, copies of the headers) nobody uses.
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
