// Reads a response of Ollama, complete or line by line, into parts: a complete one is a stream of one line. Read loosely: unexpected values
// count as absent.
import { createHash } from 'node:crypto';
import type { FramedEvent } from '#server/framing/framing.ts';
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import { endingParts, ollamaEndings, type ReadEnding, readEnding } from '../finish-reasons.ts';
import type { ResponsePart, UpstreamErrorObject } from '../parts.ts';
import type { StreamReader } from '../upstream-dialect.ts';
import { usageParts } from './token-usage.ts';
import { withBilled } from '../token-usage.ts';

export function readWhole(body: Readonly<JsonObject>): readonly ResponsePart[] | null {
  return isObject(body.message) ? new OllamaReader().line(body) : null;
}

export function createStreamReader(): StreamReader {
  return new OllamaReader();
}

/** Whether this is a line of such a stream. */
export function isLine(line: Readonly<JsonObject>): boolean {
  return isObject(line.message) || typeof line.done === 'boolean' || line.error !== undefined;
}

class OllamaReader implements StreamReader {
  #hasBegun = false;
  #calls = 0;
  #isComplete = false;

  get isComplete(): boolean {
    return this.#isComplete;
  }

  read({ data }: FramedEvent): readonly ResponsePart[] {
    const line = parseObject(data);
    if (line === null) return [];
    const error = readError(line);
    return error === null ? this.line(line) : [{ type: 'error', error }];
  }

  line(line: Readonly<JsonObject>): ResponsePart[] {
    const parts: ResponsePart[] = [];
    if (!this.#hasBegun) parts.push(startOf(line));
    this.#hasBegun = true;
    if (isObject(line.message)) this.#addMessage(parts, line.message, line.created_at);
    if (line.done !== true) return parts;
    this.#isComplete = true;
    return [...parts, ...endingParts(this.#ending(line.done_reason)), ...usageParts(line)];
  }

  /** Returns the end of a response; older versions report no reason. */
  #ending(word: unknown): ReadEnding {
    const read = readEnding(ollamaEndings, word) ?? { reason: 'stop' };
    return 'reason' in read && this.#calls > 0 ? { ...read, reason: 'tool_calls' } : read;
  }

  #addMessage(parts: ResponsePart[], { content, thinking, tool_calls: calls }: JsonObject, createdAt: unknown): void {
    if (isFilled(thinking)) parts.push({ type: 'reasoning', text: thinking });
    if (isFilled(content)) parts.push({ type: 'text', text: content });
    for (const call of Array.isArray(calls) ? calls.filter(isObject) : []) {
      const { name, arguments: given } = isObject(call.function) ? call.function : {};
      const text = isFilled(given) ? given : JSON.stringify(isObject(given) ? given : {});
      const index = this.#calls;
      this.#calls += 1;
      const called = isFilled(name) ? name : '';
      const id = isFilled(call.id) ? call.id : generatedId([createdAt, index, called, text]);
      parts.push({ type: 'tool_call', index, id, name: called }, { type: 'tool_arguments', index, text });
    }
  }
}

/** Generates a call id, unique in a conversation, for older versions without ids. */
function generatedId(marks: readonly unknown[]): string {
  return `call_${createHash('sha256').update(JSON.stringify(marks)).digest('hex').slice(0, 24)}`;
}

function startOf({ model, created_at: createdAt }: Readonly<JsonObject>): ResponsePart {
  const seconds = typeof createdAt === 'string' ? Math.floor(Date.parse(createdAt) / 1000) : Number.NaN;
  return { type: 'start', id: '', model: isFilled(model) ? model : '', ...(seconds > 0 ? { createdAt: seconds } : {}) };
}

/** Returns the error of a line, also within a stream; null if there is none. */
export function readError(line: Readonly<JsonObject>): UpstreamErrorObject | null {
  const { error } = line;
  if (error === undefined || error === null) return null;
  const message = isObject(error) ? error.message : error;
  return withBilled({ message: isFilled(message) ? message : 'upstream error', type: 'ollama_error' }, usageParts(line));
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
