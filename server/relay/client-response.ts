// What leaves for the client without passing web streams. The adapter's response writer reads only a few fields of a
// response; these classes are just those.
import type { LeanBody } from '#server/relay/stream/lean-body.ts';

export type AnswerHeaders = Record<string, string>;

/** A response with a buffer. `headers` belongs to the answer: it is written into. */
export function bufferAnswer(status: number, headers: AnswerHeaders, body: Buffer): Response {
  headers['content-length'] = String(body.length);
  return lean({ status, headers, buffer: body, body: null });
}

/** A response whose body arrives bit by bit. */
export function streamAnswer(status: number, headers: AnswerHeaders, body: LeanBody): Response {
  return lean({ status, headers, buffer: undefined, body });
}

interface LeanAnswer {
  status: number;
  headers: AnswerHeaders;
  buffer: Buffer | undefined;
  body: LeanBody | null;
}

function lean({ status, headers, buffer, body }: LeanAnswer): Response {
  const answer = { status, statusText: undefined, headers: new LeanHeaders(headers), _buffer: buffer, body };
  // Deliberately not a Response: building a real one with its streams is what made the middle of the path slow. The router
  // and the adapter only touch the fields above.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return answer as unknown as Response;
}

/** `headersInit` lets the adapter write status and headers at once; `get` and `set` are for what else looks at answers. */
class LeanHeaders {
  readonly headersInit: AnswerHeaders;
  constructor(headers: AnswerHeaders) {
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
