// Validates a Responses request before any cost; fast, because every call is validated.
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { type CallParameters, plainTokenBytes } from '../client-dialect.ts';
import { checkLooseMetadata, clientMetadata, idChecks, openaiIds, openaiMetadata, readMetadata } from '../metadata.ts';
import { badField, type Body, checkPresent, type FieldCheck, StrictFields } from '#server/framing/strict-fields.ts';

/** Maximum tokens that a client may request. */
const tokenLimit = 1_073_741_823;
const notBoth = { zh: '不能与 previous_response_id 同时给出', en: 'cannot be given together with previous_response_id' };
const textOrItems = { zh: '必须是文本或条目的数组', en: 'must be a text or a list of items' };

/** @throws {AppError} 400 with the field at fault */
export function checkRequest(body: Body): void {
  checkFields(body, true);
}

/**
 * Validates a token count request, which needs no input: it may have instructions and tools only.
 * @throws {AppError} 400 with the field at fault
 */
export function checkPrompt(body: Body): void {
  checkFields(body, false);
}

function checkFields(body: Body, needsInput: boolean): void {
  const fields = new StrictFields(body);
  if (fields.has('prompt')) throw notStored('prompt');
  fields.text('previous_response_id');
  fields.boolean('background');
  checkConversation(fields);
  checkInput(fields, needsInput);
  checkPresent(body, optionalFields);
}

const textCheck: FieldCheck = (fields, field) => fields.text(field);
const numberCheck: FieldCheck = (fields, field) => fields.number(field);
const booleanCheck: FieldCheck = (fields, field) => fields.boolean(field);
const listCheck: FieldCheck = (fields, field) => fields.list(field);
const objectCheck: FieldCheck = (fields, field) => fields.object(field);

const optionalFields: ReadonlyMap<string, FieldCheck> = new Map<string, FieldCheck>([
  ['instructions', textCheck],
  ['max_output_tokens', (fields, field) => fields.integer(field, 1, tokenLimit)],
  ['temperature', numberCheck],
  ['top_p', numberCheck],
  ['top_logprobs', numberCheck],
  ['stream', booleanCheck],
  ['store', booleanCheck],
  ['parallel_tool_calls', booleanCheck],
  ['tools', listCheck],
  ['include', listCheck],
  ['text', objectCheck],
  ['reasoning', objectCheck],
  ['stream_options', objectCheck],
  ['metadata', (fields, field) => readMetadata(fields, field, openaiMetadata)],
  ['client_metadata', (fields, field) => checkLooseMetadata(fields, field, clientMetadata)],
  ...idChecks(openaiIds),
]);

/** Validates `conversation`: an id, or an object with an id. */
function checkConversation(fields: StrictFields): void {
  const conversation = fields.raw('conversation');
  if (conversation === undefined) return;
  if (fields.has('previous_response_id')) throw badField('conversation', notBoth);
  if (typeof conversation !== 'string') fields.fields('conversation')?.requiredText('id');
}

/**
 * Refuses references to stored state that were not expanded: nothing is stored at providers.
 * @throws {AppError} `responses_not_kept`
 */
export function refuseState(body: Body): void {
  const fields = new StrictFields(body);
  for (const field of ['previous_response_id', 'conversation']) if (fields.has(field)) throw notStored(field);
  if (body.background === true) throw notStored('background');
}

/** Returns the error for a reference to state that is not stored. */
function notStored(field: string): AppError {
  return new AppError('responses_not_kept', { field }, { field });
}

function checkInput(fields: StrictFields, needsInput: boolean): void {
  const input = fields.raw('input');
  const goesOn = !needsInput || fields.has('previous_response_id') || fields.has('conversation');
  if (goesOn && (input === undefined || (Array.isArray(input) && input.length === 0))) return;
  if (input === undefined || input === '') throw badField('input', fieldRules.required);
  if (typeof input === 'string') return;
  if (!Array.isArray(input)) throw badField('input', textOrItems);
  if (input.length === 0) throw badField('input', fieldRules.required);
  for (const item of fields.objects('input')) {
    const type = item.text('type');
    if (type === 'item_reference') item.requiredText('id');
    if (type === undefined && !item.has('role') && typeof item.raw('id') !== 'string')
      throw badField(item.path('type'), fieldRules.required);
  }
}

/** Bytes of an alternative token with its text, bytes and log probability. */
const alternativeBytes = 160;
const mostAlternatives = 20;

/** Requires a body that `checkRequest` accepted. */
export function callParameters(body: Body): CallParameters {
  const fields = new StrictFields(body);
  const alternatives = Math.max(0, Math.min(mostAlternatives, fields.number('top_logprobs') ?? 0));
  const hasLogprobs = alternatives > 0 || fields.list('include')?.includes('message.output_text.logprobs') === true;
  return {
    maxTokens: fields.number('max_output_tokens') ?? 0,
    choices: 1,
    // Every stream of this format ends with usage.
    wantsUsage: true,
    mostTokenBytes: plainTokenBytes + (hasLogprobs ? alternativeBytes * (1 + alternatives) : 0),
  };
}
