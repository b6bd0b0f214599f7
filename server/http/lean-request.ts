// Wraps Node's request in the parts of a fetch Request that handlers use. Bodies are read from the connection by
// `read-body.ts`.
import type { IncomingMessage } from 'node:http';

type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** Method, headers and URL; the URL is as sent, usually without a host. */
export function leanRequest({ method = 'GET', url = '/', headers }: RequestHead): Request {
  // Deliberately not a Request: the unused parts of one (an AbortController, listeners, copied headers) are expensive.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { method, url, headers: new LeanHeaders(headers) } as unknown as Request;
}

const capital = /[A-Z]/;

class LeanHeaders {
  readonly #all: IncomingMessage['headers'];

  constructor(all: IncomingMessage['headers']) {
    this.#all = all;
  }

  get(name: string): string | null {
    // Lowercasing allocates, also where nothing changes.
    const value = this.#all[capital.test(name) ? name.toLowerCase() : name];
    return typeof value === 'string' ? value : (value?.join(', ') ?? null);
  }

  has(name: string): boolean {
    return this.#all[name.toLowerCase()] !== undefined;
  }
}
