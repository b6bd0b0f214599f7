// `force_format`: rebuilds a response or stream event from the fields of OpenAI's format.
import { isObject } from '#server/framing/loose-json.ts';

type Fields = readonly string[];

const top: Fields = ['id', 'object', 'created', 'model', 'system_fingerprint', 'choices', 'usage'];
const choice: Fields = ['index', 'delta', 'message', 'text', 'logprobs', 'finish_reason'];
const message: Fields = ['role', 'content', 'refusal', 'reasoning_content', 'reasoning', 'tool_calls'];
const toolCall: Fields = ['index', 'id', 'type', 'function'];
const called: Fields = ['name', 'arguments', 'description', 'parameters'];

export function restrictToFormat(body: Record<string, unknown>): Record<string, unknown> {
  const stored = only(body, top);
  if (Array.isArray(stored.choices)) stored.choices = stored.choices.map(restrictChoice);
  return stored;
}

function restrictChoice(value: unknown): unknown {
  if (!isObject(value)) return value;
  const stored = only(value, choice);
  for (const name of ['delta', 'message'] as const) {
    const inner = stored[name];
    if (isObject(inner)) stored[name] = restrictMessage(inner);
  }
  return stored;
}

function restrictMessage(value: Record<string, unknown>): Record<string, unknown> {
  const stored = only(value, message);
  if (!Array.isArray(stored.tool_calls)) return stored;
  stored.tool_calls = stored.tool_calls.map((call: unknown) => {
    if (!isObject(call)) return call;
    const known = only(call, toolCall);
    if (isObject(known.function)) known.function = only(known.function, called);
    return known;
  });
  return stored;
}

function only(value: Record<string, unknown>, fields: Fields): Record<string, unknown> {
  const stored: Record<string, unknown> = {};
  for (const field of fields) if (Object.hasOwn(value, field)) stored[field] = value[field];
  return stored;
}
