// Reads a Converse response or stream into parts. Read loosely: unexpected values count as absent.
import type { FramedEvent } from '#server/framing/framing.ts';
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import type { ResponsePart, UpstreamErrorObject } from '../parts.ts';
import type { StreamReader } from '../upstream-dialect.ts';
import { endingParts } from '../finish-reasons.ts';
import { readStopReason } from './stop-reason.ts';
import { usageParts } from './token-usage.ts';

export function readWhole({ output, stopReason, usage, serviceTier }: Readonly<JsonObject>): readonly ResponsePart[] | null {
  const message = isObject(output) ? output.message : undefined;
  if (!isObject(message) || !Array.isArray(message.content)) return null;
  const parts: ResponsePart[] = [{ type: 'start', id: '', model: '' }];
  let calls = 0;
  for (const block of message.content) {
    if (!isObject(block)) continue;
    const { toolUse } = block;
    if (isObject(toolUse)) {
      const input = isObject(toolUse.input) ? toolUse.input : {};
      parts.push(callOf(toolUse, calls), { type: 'tool_arguments', index: calls, text: JSON.stringify(input) });
      calls += 1;
    } else parts.push(...wordsOf(block));
  }
  return [...parts, ...endingParts(readStopReason(stopReason)), ...usageParts(usage, serviceTier)];
}

export function createStreamReader(): StreamReader {
  return new ConverseReader();
}

class ConverseReader implements StreamReader {
  /** Call numbers by block index, and whether any input was received. */
  readonly #calls = new Map<unknown, { index: number; hasInput: boolean }>();
  #isComplete = false;

  /** Usage comes last. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  read({ name, data }: FramedEvent): readonly ResponsePart[] {
    const event = parseObject(data);
    if (event === null) return [];
    switch (name) {
      case 'messageStart':
        return [{ type: 'start', id: '', model: '' }];
      case 'contentBlockStart':
        return this.#begin(event);
      case 'contentBlockDelta':
        return isObject(event.delta) ? this.#delta(event.delta, event.contentBlockIndex) : [];
      case 'contentBlockStop':
        return this.#end(event.contentBlockIndex);
      case 'messageStop':
        return endingParts(readStopReason(event.stopReason));
      case 'metadata':
        this.#isComplete = true;
        return usageParts(event.usage, event.serviceTier);
      case 'error': {
        const error = readError(event);
        return error === null ? [] : [{ type: 'error', error }];
      }
      default: // Future events.
        return [];
    }
  }

  #begin({ start, contentBlockIndex: block }: JsonObject): ResponsePart[] {
    const toolUse = isObject(start) ? start.toolUse : undefined;
    if (!isObject(toolUse)) return [];
    const index = this.#calls.size;
    this.#calls.set(block, { index, hasInput: false });
    return [callOf(toolUse, index)];
  }

  #delta(delta: JsonObject, block: unknown): ResponsePart[] {
    const { toolUse } = delta;
    if (!isObject(toolUse)) return wordsOf(delta);
    const call = this.#calls.get(block);
    if (call === undefined || !isFilled(toolUse.input)) return [];
    call.hasInput = true;
    return [{ type: 'tool_arguments', index: call.index, text: toolUse.input }];
  }

  /** Ends a block; a call without input gets an empty object. */
  #end(block: unknown): ResponsePart[] {
    const call = this.#calls.get(block);
    return call === undefined || call.hasInput ? [] : [{ type: 'tool_arguments', index: call.index, text: '{}' }];
  }
}

function callOf({ toolUseId, name }: JsonObject, index: number): ResponsePart {
  return { type: 'tool_call', index, id: isFilled(toolUseId) ? toolUseId : `call_${index}`, name: isFilled(name) ? name : '' };
}

/** Text or thinking of a block or delta. Complete thinking is nested in an object. */
function wordsOf({ text, reasoningContent, image }: JsonObject): ResponsePart[] {
  if (isFilled(text)) return [{ type: 'text', text }];
  if (isObject(image)) return pictureOf(image);
  if (!isObject(reasoningContent)) return [];
  const { redactedContent, reasoningText } = reasoningContent;
  if (isFilled(redactedContent)) return [{ type: 'sealed', seal: { origin: 'bedrock', data: redactedContent } }];
  const { text: thought, signature } = isObject(reasoningText) ? reasoningText : reasoningContent;
  return [
    ...(isFilled(thought) ? [{ type: 'reasoning' as const, text: thought }] : []),
    ...(isFilled(signature) ? [{ type: 'reasoning_seal' as const, seal: { origin: 'bedrock' as const, data: signature } }] : []),
  ];
}

function pictureOf({ format, source }: JsonObject): ResponsePart[] {
  const bytes = isObject(source) ? source.bytes : undefined;
  return isFilled(format) && isFilled(bytes) ? [{ type: 'image', mediaType: `image/${format}`, data: bytes }] : [];
}

/** Returns the error of an exception event, as the framing reports it; null for other events. */
export function readError({ type, error }: Readonly<JsonObject>): UpstreamErrorObject | null {
  if (type !== 'error' || !isObject(error)) return null;
  const name = isFilled(error.type) ? error.type : 'upstream_error';
  const status = typeof error.status === 'number' ? { status: error.status } : {};
  return { message: isFilled(error.message) ? error.message : name, type: name, ...status };
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
