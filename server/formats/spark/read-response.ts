// Reads response messages into parts. Read loosely: unexpected values count as absent.
import type { FramedEvent } from '#server/framing/framing.ts';
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import type { Gathering, StreamReader } from '../upstream-dialect.ts';
import { readError } from './errors.ts';
import { usageParts } from './token-usage.ts';

/** A complete response is a single message. */
export function readWhole(body: Readonly<JsonObject>): readonly ResponsePart[] | null {
  return isObject(choicesOf(body)) ? new SparkReader().message(body) : null;
}

export function createStreamReader(): StreamReader {
  return new SparkReader();
}

export function isMessage(message: JsonObject | null): boolean {
  return message !== null && (isObject(message['header']) || typeof message['code'] === 'number');
}

/** Whether the message is the last one or an error. */
export function isLast(text: string): boolean {
  const message = parseObject(text);
  return message !== null && (readError(message) !== null || isEnd(message));
}

function isEnd({ header, payload }: Readonly<JsonObject>): boolean {
  const choices = isObject(payload) ? payload['choices'] : undefined;
  return (isObject(header) && header['status'] === 2) || (isObject(choices) && choices['status'] === 2);
}

function choicesOf({ payload }: Readonly<JsonObject>): unknown {
  return isObject(payload) ? payload['choices'] : undefined;
}

class SparkReader implements StreamReader {
  #hasBegun = false;
  #isComplete = false;

  get isComplete(): boolean {
    return this.#isComplete;
  }

  read({ data }: FramedEvent): readonly ResponsePart[] {
    const message = parseObject(data);
    if (message === null) return [];
    const error = readError(message);
    return error === null ? this.message(message) : [{ type: 'error', error }];
  }

  message(message: Readonly<JsonObject>): ResponsePart[] {
    const { header, payload } = message;
    const parts: ResponsePart[] = [];
    const sid = isObject(header) ? header['sid'] : undefined;
    if (!this.#hasBegun) parts.push({ type: 'start', id: typeof sid === 'string' ? sid : '', model: '' });
    this.#hasBegun = true;
    for (const { reasoning_content: thought, content } of textsOf(message)) {
      if (isFilled(thought)) parts.push({ type: 'reasoning', text: thought });
      if (isFilled(content)) parts.push({ type: 'text', text: content });
    }
    if (!isEnd(message)) return parts;
    this.#isComplete = true;
    return [...parts, { type: 'finish', reason: 'stop' }, ...usageParts(isObject(payload) ? payload['usage'] : undefined)];
  }
}

function textsOf(message: Readonly<JsonObject>): JsonObject[] {
  const choices = choicesOf(message);
  const text: unknown = isObject(choices) ? choices['text'] : undefined;
  return Array.isArray(text) ? text.filter(isObject) : [];
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

export const gathering: Gathering = {
  stores: ({ data }) => isMessage(parseObject(data)),
  whole(events) {
    let [content, thought] = ['', ''];
    for (const { data } of events) {
      const message = parseObject(data);
      if (message === null) continue;
      if (readError(message) !== null) return message;
      for (const { content: text, reasoning_content: thinking } of textsOf(message)) {
        if (isFilled(text)) content += text;
        if (isFilled(thinking)) thought += thinking;
      }
      if (!isEnd(message)) continue;
      const said = { role: 'assistant', content, ...(thought === '' ? {} : { reasoning_content: thought }) };
      const { payload } = message;
      return { ...message, payload: { ...(isObject(payload) ? payload : {}), choices: { status: 2, text: [said] } } };
    }
    return null;
  },
};
