// Reads an answer or stream of a library into parts, with its source documents. Read loosely: unexpected values count as absent.
import type { FramedEvent } from '#server/framing/framing.ts';
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import type { ResponsePart, UpstreamErrorObject } from '../parts.ts';
import { invalidCounts, tokenCount } from '../token-usage.ts';
import type { StreamReader } from '../upstream-dialect.ts';

export function readWhole({ answer, documents }: Readonly<JsonObject>): readonly ResponsePart[] | null {
  if (typeof answer !== 'string') return null;
  return [
    { type: 'start', id: '', model: '' },
    ...(answer === '' ? [] : [{ type: 'text' as const, text: answer }]),
    ...citations(documents),
    { type: 'finish', reason: 'stop' },
  ];
}

/** Returns null if there is none. Errors have status 200. */
export function readError(body: unknown): UpstreamErrorObject | null {
  if (!isObject(body)) return null;
  const { success, errCode: code, message } = body;
  const isError = success === false || (typeof code === 'number' && code !== 0);
  if (!isError) return null;
  const status = typeof code === 'number' && code >= 400 && code < 600 ? code : 500;
  return {
    message: isFilled(message) ? message : 'the library has failed',
    type: 'aiproxy_error',
    code: typeof code === 'number' ? code : null,
    status,
  };
}

export function isEvent(event: JsonObject | null): boolean {
  return event !== null && (typeof event['content'] === 'string' || typeof event['finish'] === 'boolean' || readError(event) !== null);
}

export function createStreamReader(): StreamReader {
  return new LibraryReader();
}

class LibraryReader implements StreamReader {
  #hasBegun = false;
  #isComplete = false;

  get isComplete(): boolean {
    return this.#isComplete;
  }

  read({ data }: FramedEvent): readonly ResponsePart[] {
    const event = parseObject(data);
    if (event === null || !isEvent(event)) return [];
    const error = readError(event);
    if (error !== null) return [{ type: 'error', error }];
    const { content, documents, finish, usage } = event;
    const parts: ResponsePart[] = this.#hasBegun ? [] : [{ type: 'start', id: '', model: '' }];
    this.#hasBegun = true;
    if (isFilled(content)) parts.push({ type: 'text', text: content });
    parts.push(...citations(documents));
    if (finish !== true) return parts;
    this.#isComplete = true;
    return [...parts, { type: 'finish', reason: 'stop' }, ...vendorUsage(usage)];
  }
}

function citations(documents: unknown): ResponsePart[] {
  const reported = Array.isArray(documents) ? documents.filter(isObject) : [];
  return reported.flatMap(({ title, url }): ResponsePart[] =>
    isFilled(url) ? [{ type: 'citation', url, ...(isFilled(title) ? { title } : {}) }] : [],
  );
}

/** The format has no usage; usage counted by the gateway is read in the gateway's form. */
function vendorUsage(usage: unknown): ResponsePart[] {
  if (!isObject(usage)) return [];
  const invalid = invalidCounts({ input: usage.input, output: usage.output });
  if (invalid.length > 0) return invalid;
  return [{ type: 'usage', usage: { input: tokenCount(usage.input) ?? 0, output: tokenCount(usage.output) ?? 0 } }];
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
