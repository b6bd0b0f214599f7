// A completion request of one prompt → parts: the prompt is what a user says.
import { fieldRules } from '#shared/field-rules.ts';
import type { ChatRequest } from '../../parts.ts';
import { extraFieldReader } from '../../extra-fields.ts';
import type { ExtraField } from '../../request-fields.ts';
import { badField, StrictFields } from '../../strict-fields.ts';
import type { Body } from '../../strict-fields.ts';
import { promptsOf, usualMaxTokens } from './check-request.ts';
import { saidFields } from './said-fields.ts';

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
  // What is told in the response, and how much of it: ours to do.
  'echo',
  'logprobs',
]);

/** What says nothing is refused in conversations. The vendor's models go on from `<|endoftext|>` then: a document begins. */
const beginning = 'Write the beginning of a document.';

const mostTokens = 1_073_741_823;

/** Several prompts are several requests; tokens are read before. @throws {AppError} `invalid_request` with the field at fault */
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
    saidFields,
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(stop === undefined ? {} : { stop }),
    ...(userId === undefined ? {} : { userId }),
  };
}

const readExtras = extraFieldReader(saidFields);

function extraFields(fields: StrictFields): ExtraField[] {
  // As many as are told are written.
  return readExtras(fields, known).filter(({ name, value }) => name !== 'best_of' || value !== fields.raw('n'));
}

/** A number of alternatives here, a wish and a number elsewhere. */
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
