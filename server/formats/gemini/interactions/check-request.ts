// Validates an Interactions request before any cost; fast, because every call is validated.
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { type CallParameters, plainTokenBytes } from '../../client-dialect.ts';
import { otherProviders, untranslatable } from '../../losses.ts';
import { googleLabels, readMetadata } from '../../metadata.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { limits } from './limits.ts';

/** Maximum tokens that a client may request. */
const tokenLimit = 1_073_741_823;
const textOrSteps = { zh: '必须是文本、内容或步骤的数组', en: 'must be a text, a content or a list of steps' };

/** @throws {AppError} 400 with the field at fault */
export function checkRequest(body: Body): void {
  const fields = new StrictFields(body);
  // Google's token for the model's state: no other provider can continue it.
  if (fields.has('continuation_token')) throw untranslatable('continuation_token', otherProviders);
  fields.text('previous_interaction_id');
  for (const field of ['stream', 'store', 'background']) fields.boolean(field);
  checkInput(fields);
  fields.text('system_instruction');
  fields.list('tools');
  readMetadata(fields, 'labels', googleLabels);
  const config = fields.fields('generation_config');
  if (config === undefined) return;
  config.integer('max_output_tokens', 1, tokenLimit);
  for (const field of ['temperature', 'top_p', 'seed']) config.number(field);
  config.list('stop_sequences');
}

function checkInput(fields: StrictFields): void {
  const input = fields.raw('input');
  const isEmpty = input === undefined || input === '' || (Array.isArray(input) && input.length === 0);
  if (isEmpty && fields.has('previous_interaction_id')) return;
  if (isEmpty) throw badField('input', fieldRules.required);
  if (typeof input === 'string') return;
  if (!Array.isArray(input) && !isObject(input)) throw badField('input', textOrSteps);
  const items = Array.isArray(input) ? fields.objects('input') : [new StrictFields(input, 'input')];
  for (const item of items)
    if (item.text('type') === undefined && !item.has('role')) throw badField(item.path('type'), fieldRules.required);
}

/**
 * Refuses a reference to stored state that was not expanded: nothing is stored at providers.
 * @throws {AppError} `responses_not_kept`
 */
export function refuseState(body: Body): void {
  if (new StrictFields(body).has('previous_interaction_id')) throw notStored('previous_interaction_id');
  if (body.background === true) throw notStored('background');
}

function notStored(field: string): AppError {
  return new AppError('responses_not_kept', { field }, { field });
}

/** Requires a body that `checkRequest` accepted. */
export function callParameters(body: Body): CallParameters {
  return {
    maxTokens: limits.read(body) ?? 0,
    choices: 1,
    // Every stream of this format ends with usage.
    wantsUsage: true,
    mostTokenBytes: plainTokenBytes,
  };
}
