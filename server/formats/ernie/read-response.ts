// Reads a response of ERNIE, complete or frame by frame, into parts: a complete one is a final frame. Read loosely: unexpected values count
// as absent.
import type { FramedEvent } from '#server/framing/framing.ts';
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import { endingParts, ernieEndings, type ReadEnding, readEnding } from '../finish-reasons.ts';
import type { ResponsePart } from '../parts.ts';
import type { StreamReader } from '../upstream-dialect.ts';
import { readError } from './errors.ts';
import { usageParts } from './token-usage.ts';

export function readWhole(body: Readonly<JsonObject>): readonly ResponsePart[] | null {
  return typeof body.result === 'string' || isObject(body.function_call) ? new ErnieReader().frame(body, true) : null;
}

export function createStreamReader(): StreamReader {
  return new ErnieReader();
}

class ErnieReader implements StreamReader {
  #hasBegun = false;
  #hasCalled = false;
  #isComplete = false;

  get isComplete(): boolean {
    return this.#isComplete;
  }

  read({ data }: FramedEvent): readonly ResponsePart[] {
    const frame = parseObject(data);
    if (frame === null) return [];
    const error = readError(frame);
    return error === null ? this.frame(frame, frame.is_end === true) : [{ type: 'error', error }];
  }

  frame(frame: Readonly<JsonObject>, isLast: boolean): ResponsePart[] {
    const { id, created, result, function_call: call, usage } = frame;
    const parts: ResponsePart[] = [];
    if (!this.#hasBegun) {
      const createdAt = typeof created === 'number' && Number.isInteger(created) && created > 0 ? { createdAt: created } : {};
      parts.push({ type: 'start', id: isFilled(id) ? id : '', model: '', ...createdAt });
    }
    this.#hasBegun = true;
    if (isFilled(result)) parts.push({ type: 'text', text: result });
    if (isObject(call)) this.#addCall(parts, call, id);
    this.#isComplete = isLast;
    if (isLast) parts.push(...endingParts(this.#ending(frame)));
    return [...parts, ...usageParts(usage)];
  }

  #ending({ finish_reason: word, is_truncated: isTruncated }: Readonly<JsonObject>): ReadEnding {
    const read = readEnding(ernieEndings, word) ?? { reason: 'stop' };
    if ('failure' in read || read.reason === 'content_filter') return read;
    return this.#hasCalled ? { ...read, reason: 'tool_calls' } : isTruncated === true ? { ...read, reason: 'length' } : read;
  }

  /** A response has one call without an id: the response's id is unique. */
  #addCall(parts: ResponsePart[], { name, arguments: text, thoughts }: JsonObject, id: unknown): void {
    if (isFilled(thoughts)) parts.push({ type: 'reasoning', text: thoughts });
    if (!this.#hasCalled) {
      if (!isFilled(name)) return;
      this.#hasCalled = true;
      parts.push({ type: 'tool_call', index: 0, id: `call_${isFilled(id) ? id.replaceAll(/[^\w-]/g, '') : '0'}`, name });
    }
    parts.push({ type: 'tool_arguments', index: 0, text: isFilled(text) ? text : '{}' });
  }
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
