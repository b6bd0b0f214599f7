// ChatGPT accounts, called as the vendor's CLI does: Responses, always streamed, never stored.
// https://github.com/openai/codex
import { isObject } from '#server/framing/loose-json.ts';
import type { BodyEdit } from '#server/formats/body-edit.ts';
import { responsesReasoning } from './openai-shape.ts';
import type { ProviderRecord } from './spec.ts';

export const codex: ProviderRecord = {
  type: 57,
  name: 'Codex',
  baseUrl: 'https://chatgpt.com',
  formats: {
    'openai-responses': {
      paths: { chat: '{base}/backend-api/codex/responses' },
      modelRules: [responsesReasoning],
      adapt,
      streamsOnly: true,
      takesNoLimit: true,
      takesCacheKey: true,
      takesSealedThoughts: true,
    },
  },
  auth: { kind: 'codex' },
  headers: { 'openai-beta': 'responses=experimental', originator: 'codex_cli_rs' },
  models: ['gpt-5.6-sol', 'gpt-5.6-luna', 'gpt-5.4-mini'],
};

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

/** Requests have only the fields of the vendor's client; `instructions` is required, and `input` a list without `system`. */
function adapt(edit: BodyEdit, lose: (field: string) => void): void {
  for (const field of Object.keys(edit.result())) if (!taken.has(field)) lose(field);
  const instructions = edit.get('instructions');
  if (typeof instructions !== 'string' || instructions === '') edit.set('instructions', 'You are a helpful assistant.');
  edit.set('input', itemsOf(edit.get('input')));
  edit.set('store', false);
  edit.set('stream', true);
}

function itemsOf(input: unknown): unknown {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  if (!Array.isArray(input)) return input;
  return input.map((item: unknown) => (isObject(item) && item.role === 'system' ? { ...item, role: 'developer' } : item));
}
