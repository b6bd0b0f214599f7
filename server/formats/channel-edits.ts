// Edits that a channel makes in the provider's request: its system prompt, fields, and edits by path, in this order.
import { applyOperations } from '#shared/param-operations.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { CallInput } from './encode-input.ts';

type Body = Readonly<Record<string, unknown>>;
type Edited = Pick<CallInput, 'route' | 'originModel' | 'isCount'>;

/** The client decides whether it can read a stream, so its `stream` remains. */
export function withChannelEdits(body: Body, { route, originModel, isCount }: Edited): Record<string, unknown> {
  // Overrides are intended for generation: a token count may be rejected with them.
  if (isCount === true) return { ...body };
  const { stream: _stream, ...fields } = route.paramOverride ?? {};
  const overridden = { ...body, ...fields };
  if (route.paramOperations === undefined) return overridden;
  const facts = { original_model: originModel, upstream_model: route.upstreamModel };
  const { stream: _edited, ...edited } = applyOperations(overridden, route.paramOperations, facts);
  return Object.hasOwn(body, 'stream') ? { ...edited, stream: body['stream'] } : edited;
}

/** Returns the request of a conversation with the channel's system prompt, by the provider's format. */
export function withSystemPrompt(body: Body, { route, isCount }: Pick<CallInput, 'route' | 'isCount'>): Body {
  const { systemPrompt } = route.setting;
  if (systemPrompt === undefined || isCount === true) return body;
  const added = systemPrompt.text;
  const join = (present: unknown, joined: () => unknown) => (isEmpty(present) ? undefined : systemPrompt.overrides ? joined() : present);
  switch (route.dialect.name) {
    case 'openai-chat':
      return { ...body, messages: withSystemMessage(body['messages'], systemPrompt) };
    case 'openai-responses': {
      const present = body['instructions'];
      return { ...body, instructions: join(present, () => `${added}\n${String(present)}`) ?? added };
    }
    case 'claude': {
      const present = body['system'];
      const joined = () => (Array.isArray(present) ? [{ type: 'text', text: added }, ...present] : `${added}\n${String(present)}`);
      return { ...body, system: join(present, joined) ?? added };
    }
    case 'gemini': {
      const name = body['system_instruction'] === undefined ? 'systemInstruction' : 'system_instruction';
      const present = body[name];
      const parts = isObject(present) && Array.isArray(present['parts']) ? present['parts'] : [];
      const joined = () => ({ ...(isObject(present) ? present : {}), parts: [{ text: added }, ...parts] });
      return { ...body, [name]: join(present, joined) ?? { parts: [{ text: added }] } };
    }
    default:
      return body;
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function withSystemMessage(messages: unknown, { text, overrides }: { text: string; overrides: boolean }): unknown {
  if (!Array.isArray(messages)) return messages;
  const at = messages.findIndex((message) => isObject(message) && (message['role'] === 'system' || message['role'] === 'developer'));
  const present: unknown = messages[at];
  if (!isObject(present)) return [{ role: 'system', content: text }, ...messages];
  if (!overrides) return messages;
  const { content } = present;
  return messages.with(at, {
    ...present,
    content: Array.isArray(content) ? [{ type: 'text', text }, ...content] : isEmpty(content) ? text : `${text}\n${String(content)}`,
  });
}
