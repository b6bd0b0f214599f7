// What leaves for the client without passing web streams. The adapter's response writer reads only a few fields of a
// response; these classes are just those.
import type { LeanBody } from '#server/relay/stream/lean-body.ts';

export type ResponseHeaders = Record<string, string>;

/** A response with a buffer. `headers` is written into afterwards. */
export function bufferResponse(status: number, headers: ResponseHeaders, body: Buffer): Response {
  headers['content-length'] = String(body.length);
  return lean({ status, headers, buffer: body, body: null });
}

/** A response whose body arrives bit by bit. */
export function streamResponse(status: number, headers: ResponseHeaders, body: LeanBody): Response {
  return lean({ status, headers, buffer: undefined, body });
}

interface LeanResponse {
  status: number;
  headers: ResponseHeaders;
  buffer: Buffer | undefined;
  body: LeanBody | null;
}

function lean({ status, headers, buffer, body }: LeanResponse): Response {
  const response = { status, statusText: undefined, headers: new LeanHeaders(headers), _buffer: buffer, body };
  // Deliberately not a Response: building a real one with its streams is what made the middle of the path slow. The router
  // and the adapter only touch the fields above.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return response as unknown as Response;
}

/** `headersInit` lets the adapter write status and headers at once; `get` and `set` are for what else looks at responses. */
class LeanHeaders {
  readonly headersInit: ResponseHeaders;
  constructor(headers: ResponseHeaders) {
    this.headersInit = headers;
  }
  get(name: string): string | null {
    return this.headersInit[name.toLowerCase()] ?? null;
  }
  set(name: string, value: string): void {
    this.headersInit[name.toLowerCase()] = value;
  }
}

export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const;
