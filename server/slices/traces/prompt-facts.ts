// The prompt of a call as an attribute of its span, if the operator has said so.
// https://github.com/open-telemetry/semantic-conventions-genai/blob/v0.1.0/docs/gen-ai/gen-ai-input-messages.json
import type { RunningCall } from '#server/call/running-call.ts';
import { longestContent } from '#server/telemetry/traces.ts';
import type { Message } from '#server/formats/parts.ts';

/** Bodies beyond this are not read again. */
const mostBytes = 1_000_000;

/** Returns `gen_ai.input.messages` as JSON text; undefined for calls that are no conversation, and for prompts of long bodies. */
export function inputMessages({ endpoint, content }: Pick<RunningCall, 'endpoint' | 'content'>): string | undefined {
  if (endpoint.kind.name !== 'chat' || content.bytes > mostBytes) return undefined;
  try {
    if (content.longTexts() !== undefined) return undefined;
    return messagesText(endpoint.dialect.readRequest(content.body).messages);
  } catch {
    // The format cannot be read into parts, or the body was released.
    return undefined;
  }
}

/** Share of the room for a message's texts, the rest is for names and escapes; and if escapes need more. */
const textShares = [0.8, 0.1];

/** Writes the newest messages that fit, in order; the texts of one that is too long are cut. */
export function messagesText(messages: readonly Message[], longest: number = longestContent): string {
  const written: string[] = [];
  let left = longest - 2;
  for (const message of messages.toReversed()) {
    const room = left;
    const text = textShares.map((share) => JSON.stringify(presented(message, room * share))).find(({ length }) => length < room);
    if (text === undefined) break;
    left -= text.length + 1;
    written.push(text);
  }
  return `[${written.toReversed().join(',')}]`;
}

type Part = Message['content'][number];

function presented({ role, content }: Message, mostText: number) {
  let rest = Math.floor(mostText);
  const cut = (text: string): string => {
    const fitting = text.length > rest ? `${text.slice(0, rest)}…` : text;
    rest = Math.max(0, rest - fitting.length);
    return fitting;
  };
  const isOfTools = content.length > 0 && content.every(({ type }) => type === 'tool_result');
  return { role: isOfTools ? 'tool' : role, parts: content.map((part) => presentedPart(part, cut)) };
}

/** Media have their kind only: neither bytes nor addresses, which may hold signatures. */
function presentedPart(part: Part, cut: (text: string) => string): Record<string, unknown> {
  switch (part.type) {
    case 'text':
      return { type: 'text', content: cut(part.text) };
    case 'reasoning':
      return { type: 'reasoning', content: cut(part.text) };
    case 'refusal':
      return { type: 'text', content: cut(part.text) };
    case 'tool_call':
      return { type: 'tool_call', id: part.id, name: part.name, arguments: cut(part.arguments) };
    case 'tool_result':
      return { type: 'tool_call_response', id: part.callId, response: cut(textOf(part.content)) };
    default:
      return { type: part.type };
  }
}

function textOf(content: readonly { type: string; text?: string }[]): string {
  return content.map(({ type, text }) => text ?? `[${type}]`).join('\n');
}
