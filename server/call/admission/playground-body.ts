// Splits the body of a playground call: OpenAI's request, and the group in which the call is served.
import { isObject } from '#server/framing/loose-json.ts';
import type { RelayBody } from '#server/call/endpoints.ts';

/** Message fields of chat formats. Old clients also send fields of their own: `id`, `createAt`, `status`. */
const messageFields: ReadonlySet<string> = new Set([
  'role',
  'content',
  'name',
  'prefix',
  'partial',
  'refusal',
  'audio',
  'function_call',
  'tool_calls',
  'tool_call_id',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
]);

export function splitPlaygroundBody({ group, ...body }: RelayBody): { ours: RelayBody; body: RelayBody } {
  const { messages } = body;
  if (Array.isArray(messages)) body['messages'] = messages.map((message: unknown) => (isObject(message) ? knownFields(message) : message));
  // Old clients send 0 for no limit.
  if (body['max_tokens'] === 0) delete body['max_tokens'];
  return { ours: { group }, body };
}

function knownFields(message: RelayBody): RelayBody {
  return Object.fromEntries(Object.entries(message).filter(([field]) => messageFields.has(field)));
}
