// Reads a response or stream of Cohere's chat into parts. Read loosely: unexpected values count as absent.
import type { FramedEvent } from '#server/framing/framing.ts';
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import type { StreamReader } from '../upstream-dialect.ts';
import { citationParts } from './citations.ts';
import { endingParts } from '../finish-reasons.ts';
import { readFinishReason } from './finish-reason.ts';
import { usageParts } from './token-usage.ts';

export function readWhole({ id, message, finish_reason: reason, usage, error }: Readonly<JsonObject>): readonly ResponsePart[] | null {
  const ending = endingParts(readFinishReason(reason, error));
  if (!isObject(message)) return ending.some(({ type }) => type === 'error') ? ending : null;
  const { content, tool_plan: plan, tool_calls: calls, citations } = message;
  const parts: ResponsePart[] = [startOf(id)];
  if (isFilled(plan)) parts.push({ type: 'reasoning', text: plan });
  const blocks = typeof content === 'string' ? [{ text: content }] : listOf(content);
  for (const block of blocks) parts.push(...wordsOf(block));
  for (const citation of listOf(citations)) parts.push(...citationParts(citation));
  for (const [index, call] of listOf(calls).entries()) {
    const { name, arguments: text } = isObject(call.function) ? call.function : {};
    parts.push(callOf(call.id, name, index), { type: 'tool_arguments', index, text: isFilled(text) ? text : '{}' });
  }
  return [...parts, ...ending, ...usageParts(usage)];
}

export function createStreamReader(): StreamReader {
  return new CohereReader();
}

class CohereReader implements StreamReader {
  /** Call numbers by event index, and whether any arguments were received. */
  readonly #calls = new Map<unknown, { index: number; hasArguments: boolean }>();
  #isComplete = false;

  get isComplete(): boolean {
    return this.#isComplete;
  }

  read({ data }: FramedEvent): readonly ResponsePart[] {
    const event = parseObject(data);
    if (event === null) return [];
    const { type, id, index } = event;
    const delta = isObject(event.delta) ? event.delta : {};
    const { content, tool_plan: plan, tool_calls: call, citations } = isObject(delta.message) ? delta.message : {};
    switch (type) {
      case 'message-start':
        return [startOf(id)];
      case 'content-start':
      case 'content-delta':
        return isObject(content) ? wordsOf(content) : [];
      case 'tool-plan-delta':
        return isFilled(plan) ? [{ type: 'reasoning', text: plan }] : [];
      case 'tool-call-start':
        return isObject(call) ? this.#begin(call, index) : [];
      case 'tool-call-delta':
        return isObject(call) ? this.#continueCall(call, index) : [];
      case 'tool-call-end':
        return this.#end(index);
      case 'citation-start':
        return isObject(citations) ? citationParts(citations) : [];
      case 'message-end':
        return this.#complete(delta);
      default: // Future events.
        return [];
    }
  }

  #begin({ id, function: called }: JsonObject, at: unknown): ResponsePart[] {
    const { name, arguments: text } = isObject(called) ? called : {};
    const index = this.#calls.size;
    this.#calls.set(at, { index, hasArguments: isFilled(text) });
    return [callOf(id, name, index), ...(isFilled(text) ? [{ type: 'tool_arguments' as const, index, text }] : [])];
  }

  #continueCall({ function: called }: JsonObject, at: unknown): ResponsePart[] {
    const call = this.#calls.get(at);
    const text = isObject(called) ? called.arguments : undefined;
    if (call === undefined || !isFilled(text)) return [];
    call.hasArguments = true;
    return [{ type: 'tool_arguments', index: call.index, text }];
  }

  /** Ends a call; one without arguments gets an empty object. */
  #end(at: unknown): ResponsePart[] {
    const call = this.#calls.get(at);
    return call === undefined || call.hasArguments ? [] : [{ type: 'tool_arguments', index: call.index, text: '{}' }];
  }

  #complete(delta: JsonObject): ResponsePart[] {
    this.#isComplete = true;
    return [...endingParts(readFinishReason(delta.finish_reason, delta.error)), ...usageParts(delta.usage)];
  }
}

function startOf(id: unknown): ResponsePart {
  return { type: 'start', id: isFilled(id) ? id : '', model: '' };
}

function callOf(id: unknown, name: unknown, index: number): ResponsePart {
  return { type: 'tool_call', index, id: isFilled(id) ? id : `call_${index}`, name: isFilled(name) ? name : '' };
}

function wordsOf({ text, thinking }: JsonObject): ResponsePart[] {
  return [
    ...(isFilled(thinking) ? [{ type: 'reasoning' as const, text: thinking }] : []),
    ...(isFilled(text) ? [{ type: 'text' as const, text }] : []),
  ];
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
