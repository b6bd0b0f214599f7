// Reads a complete response into parts. The format does not stream: its stream is the gateway's own.
import type { FramedEvent } from '#server/framing/framing.ts';
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import type { ResponsePart, UpstreamErrorObject } from '../parts.ts';
import { invalidCounts, tokenCount } from '../token-usage.ts';
import type { StreamReader } from '../upstream-dialect.ts';

export function readWhole({ candidates }: Readonly<JsonObject>): readonly ResponsePart[] | null {
  if (!Array.isArray(candidates) || candidates.length === 0) return null;
  const texts = candidates.map((candidate: unknown) => (isObject(candidate) ? candidate.content : undefined));
  if (!texts.every((text) => typeof text === 'string')) return null;
  return [
    { type: 'start', id: '', model: '' },
    ...texts.flatMap((text, choice): ResponsePart[] => [
      ...(text === '' ? [] : [{ type: 'text' as const, text, choice }]),
      { type: 'finish', reason: 'stop', choice },
    ]),
  ];
}

/** Returns the error in a body of status 200; null if there is none. Without candidates, the filters state the reason. */
export function readError(body: unknown): UpstreamErrorObject | null {
  if (!isObject(body)) return null;
  const { error, candidates, filters } = body;
  if (isObject(error)) return errorOf(error);
  if (candidates !== undefined && !(Array.isArray(candidates) && candidates.length === 0)) return null;
  const reasons = (Array.isArray(filters) ? filters.filter(isObject) : []).map(({ reason }) => String(reason));
  if (reasons.length === 0) return null;
  return { message: `the prompt was filtered: ${reasons.join(', ')}`, type: 'palm_error', code: 'content_filter', status: 400 };
}

function errorOf({ code, message, status }: JsonObject): UpstreamErrorObject {
  return {
    message: typeof message === 'string' && message !== '' ? message : 'the model has failed',
    type: typeof status === 'string' ? status : 'palm_error',
    code: typeof code === 'number' || typeof code === 'string' ? code : null,
    status: typeof code === 'number' && code >= 400 && code < 600 ? code : 500,
  };
}

export function createStreamReader(): StreamReader {
  return new PalmReader();
}

class PalmReader implements StreamReader {
  #hasBegun = false;
  #isComplete = false;

  get isComplete(): boolean {
    return this.#isComplete;
  }

  read({ data }: FramedEvent): readonly ResponsePart[] {
    const event = parseObject(data);
    if (event === null) return [];
    const error = readError(event);
    if (error !== null) return [{ type: 'error', error }];
    const parts = this.#event(event);
    if (parts.length === 0 || this.#hasBegun) return parts;
    this.#hasBegun = true;
    return [{ type: 'start', id: '', model: '' }, ...parts];
  }

  #event({ candidates, isFinished, choice, usage }: JsonObject): ResponsePart[] {
    const at = typeof choice === 'number' && Number.isInteger(choice) && choice >= 0 ? { choice } : {};
    if (isFinished === true) {
      this.#isComplete = true;
      return usageParts(usage);
    }
    const [candidate] = Array.isArray(candidates) ? candidates : [];
    if (!isObject(candidate)) return [];
    const { content, finish } = candidate;
    if (finish === true) return [{ type: 'finish', reason: 'stop', ...at }];
    return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content, ...at }] : [];
  }
}

/** The format has no usage; usage counted by the gateway is read in the gateway's form. */
function usageParts(usage: unknown): ResponsePart[] {
  if (!isObject(usage)) return [];
  const invalid = invalidCounts({ input: usage.input, output: usage.output });
  if (invalid.length > 0) return invalid;
  return [{ type: 'usage', usage: { input: tokenCount(usage.input) ?? 0, output: tokenCount(usage.output) ?? 0 } }];
}
