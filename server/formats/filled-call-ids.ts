// Generates ids for tool calls with an empty id: formats pair calls and results by id, and no vendor accepts an empty one.
import { fittingIds, type IdUse } from './call-id-rules.ts';
import type { AssistantPart, ChatRequest, Message, UserPart } from './parts.ts';

const anyId = {};

/** Returns the same object if every call has an id. */
export function withFilledCallIds(request: ChatRequest): ChatRequest {
  const { messages } = request;
  if (!messages.some((message) => message.content.some((part) => idOf(part) === ''))) return request;
  const uses = messages.flatMap(({ content }, turn) => content.flatMap((part) => usesIn(part, turn)));
  const ids = fittingIds(uses, anyId);
  if (ids === null) return request;
  let at = 0;
  return { ...request, messages: messages.map((message) => withIds(message, () => ids[at++] ?? '')) };
}

type Part = Message['content'][number];

function idOf(part: Part): string | undefined {
  if (part.type === 'tool_call') return part.id;
  return part.type === 'tool_result' ? part.callId : undefined;
}

function usesIn(part: Part, turn: number): IdUse[] {
  const id = idOf(part);
  return id === undefined ? [] : [{ kind: part.type === 'tool_call' ? 'call' : 'result', id, turn }];
}

function withIds(message: Message, nextId: () => string): Message {
  if (message.role === 'assistant') {
    return {
      ...message,
      content: message.content.map((part): AssistantPart => (part.type === 'tool_call' ? { ...part, id: nextId() } : part)),
    };
  }
  if (message.role === 'system') return message;
  return {
    ...message,
    content: message.content.map((part): UserPart => (part.type === 'tool_result' ? { ...part, callId: nextId() } : part)),
  };
}
