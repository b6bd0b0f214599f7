// Reads a response or stream of a bot into parts. Read loosely: unexpected values count as absent.
import type { FramedEvent } from '#server/framing/framing.ts';
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import type { StreamReader } from '../upstream-dialect.ts';
import { readError } from './errors.ts';
import { usageParts } from './token-usage.ts';

/** Separates the answers of a bot, which may give several. */
const gap = '\n\n';

/** @param body the ended chat with all its messages */
export function readWhole({ data: chat, messages }: Readonly<JsonObject>): readonly ResponsePart[] | null {
  if (!isObject(chat) || !Array.isArray(messages)) return null;
  const answers = messages.filter(isObject).filter(({ type }) => type === 'answer');
  const texts = answers.flatMap(({ content }) => (isFilled(content) ? [content] : []));
  const thoughts = answers.flatMap(({ reasoning_content: text }) => (isFilled(text) ? [text] : []));
  return [
    { type: 'start', id: isFilled(chat.id) ? chat.id : '', model: '', ...createdAt(answers.at(-1) ?? chat) },
    ...(thoughts.length === 0 ? [] : [{ type: 'reasoning' as const, text: thoughts.join(gap) }]),
    ...(texts.length === 0 ? [] : [{ type: 'text' as const, text: texts.join(gap) }]),
    { type: 'finish', reason: 'stop' },
    ...usageParts(chat.usage),
  ];
}

function createdAt({ created_at: created }: JsonObject): { createdAt?: number } {
  return typeof created === 'number' && Number.isInteger(created) && created > 0 ? { createdAt: created } : {};
}

export function createStreamReader(): StreamReader {
  return new CozeReader();
}

class CozeReader implements StreamReader {
  #hasBegun = false;
  #isComplete = false;
  /** Id of the last streamed answer. */
  #answer: unknown;

  get isComplete(): boolean {
    return this.#isComplete;
  }

  read({ name, data }: FramedEvent): readonly ResponsePart[] {
    const event = parseObject(data);
    if (event === null) return [];
    const error = errorOf(name, event);
    if (error !== null) return [{ type: 'error', error }];
    const parts = this.#event(name, event);
    if (parts.length === 0 || this.#hasBegun) return parts;
    this.#hasBegun = true;
    const { chat_id: chat, id } = event;
    return [{ type: 'start', id: isFilled(chat) ? chat : isFilled(id) ? id : '', model: '' }, ...parts];
  }

  #event(name: string, event: JsonObject): ResponsePart[] {
    if (name === 'conversation.chat.completed') {
      this.#isComplete = true;
      return [{ type: 'finish', reason: 'stop' }, ...usageParts(event.usage)];
    }
    if (event.type !== 'answer') return [];
    // An answer that was not streamed is returned when complete.
    const isNew = name === 'conversation.message.completed' && event.id !== this.#answer;
    return name === 'conversation.message.delta' || isNew ? this.#say(event) : [];
  }

  #say({ id, content, reasoning_content: thought }: JsonObject): ResponsePart[] {
    const parts: ResponsePart[] = [];
    if (isFilled(thought)) parts.push({ type: 'reasoning', text: thought });
    if (isFilled(content)) {
      const isFurther = this.#answer !== undefined && this.#answer !== id;
      parts.push({ type: 'text', text: isFurther ? `${gap}${content}` : content });
      this.#answer = id ?? null;
    }
    return parts;
  }
}

/** Any event of that name is an error. */
export function errorOf(name: string, event: JsonObject): ReturnType<typeof readError> {
  const error = readError(event);
  return error === null && (name === 'error' || name === 'conversation.chat.failed') ? readError({ ...event, code: 5000 }) : error;
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
