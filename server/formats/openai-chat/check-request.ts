// Validates a chat completion request before any cost; fast, because every call is validated.
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { type CallParameters, plainTokenBytes } from '../client-dialect.ts';
import { chatIds, checkLooseMetadata, idChecks, openaiMetadata } from '../metadata.ts';
import { badField, type Body, checkPresent, type FieldCheck } from '#server/framing/strict-fields.ts';

/** Maximum tokens that a client may request in any field. */
const tokenLimit = 1_073_741_823;
const mostChoices = 128;
const notBoth = { zh: '不能与 messages 同时给出', en: 'cannot be given together with messages' };
const textOrParts = { zh: '必须是文本或内容片段的数组', en: 'must be a text or a list of parts' };

/** @throws {AppError} 400 with the field at fault */
export function checkRequest(body: Body): void {
  const messages = body['messages'] ?? undefined;
  if (messages !== undefined && (body['input'] ?? undefined) !== undefined) throw badField('input', notBoth);
  if (messages !== undefined && !Array.isArray(messages)) throw badField('messages', fieldRules.list);
  if (messages === undefined || messages.length === 0) throw new AppError('invalid_text_request', {}, { field: 'messages' });
  for (let index = 0; index < messages.length; index += 1) {
    const message: unknown = messages[index];
    if (!isObject(message)) throw badField(`messages.${index}`, fieldRules.object);
    if (typeof message.role !== 'string') throw badField(`messages.${index}.role`, fieldRules.text);
    const content = message.content ?? undefined;
    if (content !== undefined && typeof content !== 'string' && !Array.isArray(content))
      throw badField(`messages.${index}.content`, textOrParts);
  }
  checkPresent(body, optionalFields);
}

const numberCheck: FieldCheck = (fields, field) => fields.number(field);
// As at the vendor: values below one yield nothing, and many upstreams treat them as no limit.
const limitCheck: FieldCheck = (fields, field) => fields.integer(field, 1, tokenLimit);

const optionalFields: ReadonlyMap<string, FieldCheck> = new Map<string, FieldCheck>([
  ['max_tokens', limitCheck],
  ['max_completion_tokens', limitCheck],
  ['n', (fields, field) => fields.integer(field, 1, mostChoices)],
  ['temperature', numberCheck],
  ['top_p', numberCheck],
  ['presence_penalty', numberCheck],
  ['frequency_penalty', numberCheck],
  ['stream', (fields, field) => fields.boolean(field)],
  ['stream_options', (fields, field) => fields.object(field)],
  ['metadata', (fields, field) => checkLooseMetadata(fields, field, openaiMetadata)],
  ...idChecks(chatIds),
]);

/** Requires a body that `checkRequest` accepted. */
export function callParameters(body: Body): CallParameters {
  const { max_tokens: most, max_completion_tokens: mostOfCompletion, n: choices, stream_options: options } = body;
  return {
    // The larger of two limits: providers differ in which they apply.
    maxTokens: Math.max(typeof most === 'number' ? most : 0, typeof mostOfCompletion === 'number' ? mostOfCompletion : 0),
    choices: typeof choices === 'number' ? choices : 1,
    wantsUsage: isObject(options) && options.include_usage === true,
    mostTokenBytes: body['logprobs'] === true ? mostTokenBytes(body) : plainTokenBytes,
  };
}

/** Bytes of an alternative token with its text, bytes and log probability. */
const alternativeBytes = 160;
const mostAlternatives = 20;

/** Returns the maximum bytes of a token in a response with log probabilities. */
function mostTokenBytes({ top_logprobs: alternatives }: Body): number {
  const count = typeof alternatives === 'number' ? Math.max(0, Math.min(mostAlternatives, alternatives)) : 0;
  return plainTokenBytes + alternativeBytes * (1 + count);
}
