// `force_format`: a response or stream event rebuilt from the fields that OpenAI's format knows.
import { isObject } from '#server/framing/loose-json.ts';

type Fields = readonly string[];

const top: Fields = ['id', 'object', 'created', 'model', 'system_fingerprint', 'choices', 'usage'];
const choice: Fields = ['index', 'delta', 'message', 'text', 'logprobs', 'finish_reason'];
const message: Fields = ['role', 'content', 'refusal', 'reasoning_content', 'reasoning', 'tool_calls'];
const toolCall: Fields = ['index', 'id', 'type', 'function'];
const called: Fields = ['name', 'arguments', 'description', 'parameters'];

export function restrictToFormat(body: Record<string, unknown>): Record<string, unknown> {
  const kept = only(body, top);
  if (Array.isArray(kept.choices)) kept.choices = kept.choices.map(restrictChoice);
  return kept;
}

function restrictChoice(value: unknown): unknown {
  if (!isObject(value)) return value;
  const kept = only(value, choice);
  for (const name of ['delta', 'message'] as const) {
    const inner = kept[name];
    if (isObject(inner)) kept[name] = restrictMessage(inner);
  }
  return kept;
}

function restrictMessage(value: Record<string, unknown>): Record<string, unknown> {
  const kept = only(value, message);
  if (!Array.isArray(kept.tool_calls)) return kept;
  kept.tool_calls = kept.tool_calls.map((call: unknown) => {
    if (!isObject(call)) return call;
    const known = only(call, toolCall);
    if (isObject(known.function)) known.function = only(known.function, called);
    return known;
  });
  return kept;
}

function only(value: Record<string, unknown>, fields: Fields): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const field of fields) if (Object.hasOwn(value, field)) kept[field] = value[field];
  return kept;
}
