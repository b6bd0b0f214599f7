// Reads a completion request with one prompt into parts, the prompt as a user message.
import { fieldRules } from '#shared/field-rules.ts';
import type { ChatRequest } from '../../parts.ts';
import { extraFieldReader } from '../../extra-fields.ts';
import type { ExtraField } from '../../request-fields.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { promptsOf, usualMaxTokens } from './check-request.ts';
import { clientFields } from './format-fields.ts';

const known: ReadonlySet<string> = new Set([
  'model',
  'prompt',
  'max_tokens',
  'temperature',
  'top_p',
  'stop',
  'user',
  'stream',
  'stream_options',
  // Response options that the gateway implements.
  'echo',
  'logprobs',
]);

/** Conversations reject an empty prompt. The vendor's models then continue from `<|endoftext|>`, the start of a document. */
const beginning = 'Write the beginning of a document.';

const mostTokens = 1_073_741_823;

/** Several prompts become several requests; tokens are decoded before. @throws {AppError} `invalid_request` with the field at fault */
export function readRequest(body: Body): ChatRequest {
  const fields = new StrictFields(body);
  const [prompt, ...others] = promptsOf(body) ?? [];
  if (typeof prompt !== 'string' || others.length > 0) throw badField('prompt', fieldRules.text);
  const temperature = fields.number('temperature');
  const topP = fields.number('top_p');
  const stop = readStop(fields);
  const userId = fields.text('user');
  return {
    model: fields.requiredText('model'),
    messages: [{ role: 'user', content: [{ type: 'text', text: prompt === '' ? beginning : prompt }], field: 'prompt' }],
    tools: [],
    maxTokens: fields.integer('max_tokens', 1, mostTokens) ?? usualMaxTokens,
    isStream: fields.boolean('stream') ?? false,
    extras: [...extraFields(fields), ...logprobs(fields)],
    clientFields,
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(stop === undefined ? {} : { stop }),
    ...(userId === undefined ? {} : { userId }),
  };
}

const readExtras = extraFieldReader(clientFields);

function extraFields(fields: StrictFields): ExtraField[] {
  // No more choices are written than returned.
  return readExtras(fields, known).filter(({ name, value }) => name !== 'best_of' || value !== fields.raw('n'));
}

/** Returns the fields for log probabilities: this format has a number of alternatives, others a flag and a number. */
function logprobs(fields: StrictFields): ExtraField[] {
  const value = fields.integer('logprobs', 0, 20);
  if (value === undefined) return [];
  const wish: ExtraField = { field: 'logprobs', name: 'logprobs', value: true };
  return value === 0 ? [wish] : [wish, { field: 'top_logprobs', name: 'logprobs', value }];
}

function readStop(fields: StrictFields): string[] | undefined {
  const value = fields.raw('stop');
  if (value === undefined) return undefined;
  const texts = Array.isArray(value) ? value : [value];
  if (!texts.every((text) => typeof text === 'string')) throw badField('stop', fieldRules.text);
  return texts.length === 0 ? undefined : texts;
}
