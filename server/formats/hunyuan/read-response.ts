// Reads a response or stream of Hunyuan into parts. Read loosely: unexpected values count as absent.
import type { FramedEvent } from '#server/framing/framing.ts';
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import { endingParts, hunyuanEndings, readEnding } from '../finish-reasons.ts';
import type { ResponsePart } from '../parts.ts';
import type { StreamReader } from '../upstream-dialect.ts';
import { readError } from './errors.ts';
import { usageParts } from './token-usage.ts';

export function readWhole(body: Readonly<JsonObject>): readonly ResponsePart[] | null {
  const response = isObject(body['Response']) ? body['Response'] : body;
  return Array.isArray(response['Choices']) ? new HunyuanReader().event(response) : null;
}

export function createStreamReader(): StreamReader {
  return new HunyuanReader();
}

/** A stream has no end marker: every event has usage, and the last one applies. */
class HunyuanReader implements StreamReader {
  readonly isComplete = false;
  #hasBegun = false;
  /** Call numbers by id and by index. A piece has either, or neither and continues the last call. */
  readonly #calls = new Map<string, number>();
  #begun = 0;
  #lastCall = -1;

  read({ data }: FramedEvent): readonly ResponsePart[] {
    const event = parseObject(data);
    if (event === null) return [];
    const error = readError(event);
    return error === null ? this.event(event) : [{ type: 'error', error }];
  }

  event({ Id: id, Created: created, Choices: choices, Usage: usage }: Readonly<JsonObject>): ResponsePart[] {
    const parts: ResponsePart[] = [];
    if (!this.#hasBegun) {
      const createdAt = typeof created === 'number' && Number.isInteger(created) && created > 0 ? { createdAt: created } : {};
      parts.push({ type: 'start', id: isFilled(id) ? id : '', model: '', ...createdAt });
    }
    this.#hasBegun = true;
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    if (isObject(choice)) this.#addChoice(parts, choice);
    return [...parts, ...usageParts(usage)];
  }

  #addChoice(parts: ResponsePart[], { Delta: delta, Message: message, FinishReason: reason }: JsonObject): void {
    const said = isObject(delta) ? delta : isObject(message) ? message : {};
    const { Content: text, ReasoningContent: thought, ToolCalls: calls } = said;
    if (isFilled(thought)) parts.push({ type: 'reasoning', text: thought });
    if (isFilled(text)) parts.push({ type: 'text', text });
    for (const call of Array.isArray(calls) ? calls.filter(isObject) : []) this.#addCall(parts, call);
    const read = readEnding(hunyuanEndings, reason);
    // Some models report `stop` after a call.
    const isCall = read !== null && 'reason' in read && read.reason === 'stop' && this.#begun > 0;
    parts.push(...endingParts(isCall ? { ...read, reason: 'tool_calls' } : read));
  }

  #addCall(parts: ResponsePart[], { Id: id, Index: place, Function: called }: JsonObject): void {
    const { Name: name, Arguments: text } = isObject(called) ? called : {};
    const known = isFilled(id) ? id : typeof place === 'number' ? `call_${place}` : undefined;
    let index = (known === undefined ? undefined : this.#calls.get(known)) ?? (isFilled(id) || isFilled(name) ? -1 : this.#lastCall);
    if (index < 0) {
      if (!isFilled(name)) return;
      index = this.#begun;
      this.#begun += 1;
      const own = known ?? `call_${index}`;
      this.#calls.set(own, index);
      if (typeof place === 'number') this.#calls.set(`call_${place}`, index);
      parts.push({ type: 'tool_call', index, id: own, name });
    }
    this.#lastCall = index;
    if (isFilled(text)) parts.push({ type: 'tool_arguments', index, text });
  }
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
