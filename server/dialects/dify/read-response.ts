// A response of an application, whole or as a stream → parts. Read loosely: what is not as expected counts as absent.
import type { FramedEvent } from '#server/framing/framing.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import type { StreamReader } from '../upstream-dialect.ts';
import { readError } from './errors.ts';
import { usageParts } from './token-usage.ts';

export function readWhole(body: Readonly<JsonObject>): readonly ResponsePart[] | null {
  const { answer, conversation_id: id, created_at: created, metadata } = body;
  if (typeof answer !== 'string') return null;
  const createdAt = typeof created === 'number' && Number.isInteger(created) && created > 0 ? { createdAt: created } : {};
  return [
    { type: 'start', id: isFilled(id) ? id : '', model: '', ...createdAt },
    ...(answer === '' ? [] : [{ type: 'text' as const, text: answer }]),
    { type: 'finish', reason: 'stop' },
    ...usageParts(metadata),
  ];
}

export function createStreamReader(): StreamReader {
  return new DifyReader();
}

/** What stands around thoughts, each an answer of its own. */
const thoughtBegins = /^<details [^>]*open>\s*<summary> Thinking\.\.\. <\/summary>\s*$/;
const thoughtEnds = /^\s*<\/details>\s*$/;

class DifyReader implements StreamReader {
  #hasBegun = false;
  #isThinking = false;
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
    const { message_id: id } = event;
    return [{ type: 'start', id: isFilled(id) ? id : '', model: '' }, ...parts];
  }

  #event({ event, answer, metadata, data }: JsonObject): ResponsePart[] {
    if (event === 'message' || event === 'agent_message') return isFilled(answer) ? this.#say(answer) : [];
    if (event === 'message_end') {
      this.#isComplete = true;
      return [{ type: 'finish', reason: 'stop' }, ...usageParts(metadata)];
    }
    // What the application does is told as thoughts.
    if (typeof event !== 'string' || !isObject(data) || !/^(?:workflow|node)_(?:started|finished)$/.test(event)) return [];
    const status = isFilled(data.status) ? ` ${data.status}` : '';
    const name = event.startsWith('node') ? data.node_type : (data.workflow_id ?? data.id);
    return isFilled(name) ? [{ type: 'reasoning', text: `${event.startsWith('node') ? 'Node' : 'Workflow'}: ${name}${status}\n` }] : [];
  }

  #say(text: string): ResponsePart[] {
    const begins = thoughtBegins.test(text);
    if (begins || (this.#isThinking && thoughtEnds.test(text))) {
      this.#isThinking = begins;
      return [];
    }
    return [{ type: this.#isThinking ? 'reasoning' : 'text', text }];
  }
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
