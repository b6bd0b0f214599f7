// Responses requests for ChatGPT accounts: only fields of the vendor's own client are accepted.
import { isObject } from '#server/framing/loose-json.ts';
import type { EncodeInput } from '../encode-input.ts';
import { missedName } from '../unsaid.ts';
import type { AppliedTraits } from '../upstream-dialect.ts';
import { saidFields } from './said-fields.ts';

type Body = Readonly<Record<string, unknown>>;

/** https://github.com/openai/codex: `ResponsesApiRequest` */
const taken: ReadonlySet<string> = new Set([
  'model',
  'instructions',
  'input',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'store',
  'stream',
  'include',
  'prompt_cache_key',
  'text',
]);

/** `instructions` is required. */
const instructions = 'You are a helpful assistant.';

export function asOfAccount(body: Body, input: EncodeInput): AppliedTraits {
  const dropped = Object.entries(body).flatMap(([field, value]) =>
    taken.has(field) ? [] : (missedName(field, value, input, saidFields) ?? []),
  );
  const stored = Object.fromEntries(Object.entries(body).filter(([field]) => taken.has(field)));
  const reported = typeof stored['instructions'] === 'string' && stored['instructions'] !== '' ? stored['instructions'] : instructions;
  return { body: { ...stored, instructions: reported, input: itemsOf(stored['input']), store: false, stream: true }, dropped };
}

/** A list without `system` messages. */
function itemsOf(input: unknown): unknown {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  if (!Array.isArray(input)) return input;
  return input.map((item: unknown) => (isObject(item) && item.role === 'system' ? { ...item, role: 'developer' } : item));
}
