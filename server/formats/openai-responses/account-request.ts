// A Responses request as it is taken of ChatGPT accounts: by what the vendor's own program asks with. Anything else is refused there.
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

/** Some have to be there. */
const instructions = 'You are a helpful assistant.';

export function asOfAccount(body: Body, input: EncodeInput): AppliedTraits {
  const dropped = Object.entries(body).flatMap(([field, value]) =>
    taken.has(field) ? [] : (missedName(field, value, input, saidFields) ?? []),
  );
  const stored = Object.fromEntries(Object.entries(body).filter(([field]) => taken.has(field)));
  const reported = typeof stored['instructions'] === 'string' && stored['instructions'] !== '' ? stored['instructions'] : instructions;
  return { body: { ...stored, instructions: reported, input: itemsOf(stored['input']), store: false, stream: true }, dropped };
}

/** A list, in which nobody speaks as the system. */
function itemsOf(input: unknown): unknown {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  if (!Array.isArray(input)) return input;
  return input.map((item: unknown) => (isObject(item) && item.role === 'system' ? { ...item, role: 'developer' } : item));
}
