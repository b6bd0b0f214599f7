// Polls a chat that does not stream until it ends, then retrieves its messages.
// https://www.coze.cn/open/docs/developer_guides/retrieve_chat
import { isObject, type JsonObject } from '#server/framing/loose-json.ts';
import type { AwaitedStep, Awaiting, FollowUp } from '../awaiting.ts';

/** @param path of the call */
export function createAwaiting(path: string): Awaiting {
  return new ChatAwaiting(path);
}

class ChatAwaiting implements Awaiting {
  // Tokens of a started chat are billed.
  readonly isOrder = true;
  readonly #path: string;
  #ids: URLSearchParams | null = null;
  /** The ended chat. */
  #chat: JsonObject | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  next(body: JsonObject): AwaitedStep {
    const { code, data } = body;
    // Errors have status 200. After the start, an error is the poll's, not the chat's.
    if (code !== 0) return this.#ids === null ? { kind: 'response', body } : { kind: 'lost' };
    if (Array.isArray(data)) return { kind: 'response', body: { code, data: this.#chat, messages: data } };
    if (!isObject(data)) return { kind: 'response', body };
    this.#ids ??= idsOf(data);
    if (this.#ids === null) return { kind: 'response', body };
    if (data.status === 'created' || data.status === 'in_progress')
      return { kind: 'request', path: this.#requesting('/retrieve'), isLater: true };
    if (data.status !== 'completed') return { kind: 'response', body };
    this.#chat = data;
    return { kind: 'request', path: this.#requesting('/message/list') };
  }

  cancel(): FollowUp | null {
    if (this.#ids === null || this.#chat !== null) return null;
    return { path: `${this.#path}/cancel`, body: Object.fromEntries(this.#ids) };
  }

  #requesting(what: string): string {
    return `${this.#path}${what}?${this.#ids}`;
  }
}

function idsOf({ id, conversation_id: conversation }: JsonObject): URLSearchParams | null {
  if (typeof id !== 'string' || typeof conversation !== 'string') return null;
  return new URLSearchParams({ conversation_id: conversation, chat_id: id });
}
