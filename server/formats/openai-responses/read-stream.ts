// Reads a stream of Responses events into parts.
import type { FramedEvent } from '#server/framing/framing.ts';
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import type { StreamReader } from '../upstream-dialect.ts';
import { isEnd } from './events.ts';
import { HostedRuns } from './hosted-items.ts';
import { endingParts } from '../finish-reasons.ts';
import { readFinish } from './finish-reason.ts';
import { errorOf } from './read-error.ts';
import { argumentsOf, callOf, citationOf, contentOf, hostedOf, logprobsIn, sealOf, startOf, thoughtIn } from './read-response.ts';
import { PlainDeltas } from './plain-deltas.ts';
import { usageParts } from './token-usage.ts';

export function createStreamReader(): StreamReader {
  return new ResponseStreamReader();
}

interface OpenItem {
  /** Number of the call; null if the item is not a call. */
  call: number | null;
  /** Whether some of the item was returned. */
  isReported: boolean;
}

class ResponseStreamReader implements StreamReader {
  #isComplete = false;
  #calls = 0;
  readonly #runs = new HostedRuns();
  /** Characters of text so far, and before the current part of a message. */
  #length = 0;
  #partAt = 0;
  /** Items by output index. */
  readonly #open = new Map<number, OpenItem>();
  readonly #plain = new PlainDeltas();

  get isComplete(): boolean {
    return this.#isComplete;
  }

  read({ data }: FramedEvent): readonly ResponsePart[] {
    const same = this.#plain.read(data);
    if (same !== null) return this.#text(same);
    const event = parseObject(data);
    if (event === null) {
      this.#isComplete ||= data.trim() === '[DONE]';
      return [];
    }
    const { type } = event;
    if (isEnd(type)) return this.#end(event);
    switch (type) {
      case 'response.created':
        return isObject(event.response) ? [startOf(event.response)] : [];
      case 'response.output_item.added':
        return isObject(event.item) ? this.#begin(event.item, placeOf(event)) : [];
      case 'response.output_item.done':
        return isObject(event.item) ? this.#done(event.item, placeOf(event)) : [];
      case 'error': {
        const error = errorOf(event);
        return error === null ? [] : [{ type: 'error', error }];
      }
      case 'response.output_text.annotation.added':
        return citationOf(event.annotation, this.#partAt);
      case 'response.content_part.added':
        this.#partAt = this.#length;
        return [];
      case 'response.reasoning_summary_part.added':
        return this.#separate(event);
      default:
        return this.#delta(event, data);
    }
  }

  #delta(event: JsonObject, data: string): ResponsePart[] {
    const { type, delta: text } = event;
    if (typeof text !== 'string' || text === '') return [];
    switch (type) {
      case 'response.output_text.delta': {
        const logprobs = logprobsIn(event);
        const place = placeOf(event);
        if (logprobs.length === 0) this.#plain.learn(data, { text, place });
        return [...logprobs, ...this.#text({ text, place })];
      }
      case 'response.refusal.delta':
        return this.#report(event, { type: 'refusal', text });
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return this.#report(event, { type: 'reasoning', text });
      case 'response.function_call_arguments.delta': {
        const index = this.#open.get(placeOf(event))?.call ?? null;
        return index === null ? [] : this.#report(event, { type: 'tool_arguments', index, text });
      }
      default: // hosted tools and future events
        return [];
    }
  }

  #text({ text, place }: { text: string; place: number }): ResponsePart[] {
    if (text === '') return [];
    this.#length += text.length;
    this.#item(place).isReported = true;
    return [{ type: 'text', text }];
  }

  #report(event: JsonObject, part: ResponsePart): ResponsePart[] {
    this.#item(placeOf(event)).isReported = true;
    return [part];
  }

  /** Separates the paragraphs of a summary. */
  #separate(event: JsonObject): ResponsePart[] {
    return this.#open.get(placeOf(event))?.isReported === true ? [{ type: 'reasoning', text: '\n\n' }] : [];
  }

  #item(place: number): OpenItem {
    const known = this.#open.get(place);
    if (known !== undefined) return known;
    const item: OpenItem = { call: null, isReported: false };
    this.#open.set(place, item);
    return item;
  }

  #begin(item: JsonObject, place: number): ResponsePart[] {
    const call = callOf(item, this.#calls);
    this.#open.set(place, { call: call === null ? null : this.#calls, isReported: false });
    if (call === null) return [];
    this.#calls += 1;
    return [call];
  }

  /** Reads a complete item: some servers send nothing of it before. */
  #done(item: JsonObject, place: number): ResponsePart[] {
    const parts = this.#open.has(place) ? [] : this.#begin(item, place);
    const { call, isReported } = this.#item(place);
    this.#open.delete(place);
    if (call !== null) {
      const text = argumentsOf(item);
      return isReported || text === '' ? parts : [...parts, { type: 'tool_arguments', index: call, text }];
    }
    if (item.type === 'reasoning') {
      const text = isReported ? '' : thoughtIn(item);
      if (text !== '') parts.push({ type: 'reasoning', text });
      return [...parts, ...sealOf(item, isReported || text !== '')];
    }
    if (item.type !== 'message') return [...parts, ...hostedOf(item, this.#runs)];
    return isReported ? parts : [...parts, ...contentOf(item, this.#length)];
  }

  #end(event: JsonObject): ResponsePart[] {
    const response = isObject(event.response) ? event.response : {};
    const error = errorOf(event);
    if (error !== null) return [{ type: 'error', error }];
    this.#isComplete = true;
    return [...endingParts(readFinish(response, this.#calls > 0)), ...usageParts(response)];
  }
}

function placeOf({ output_index: index }: JsonObject): number {
  return typeof index === 'number' ? index : 0;
}
