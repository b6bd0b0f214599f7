// Validates a Messages request before any cost; fast, because every call is validated.
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { type CallParameters, plainTokenBytes } from '../client-dialect.ts';
import { badField, type Body, checkPresent, type FieldCheck, StrictFields } from '#server/framing/strict-fields.ts';
import { threadOf } from './threads.ts';

/** Maximum tokens that a client may request. */
const tokenLimit = 1_073_741_823;
const textOrBlocks = { zh: '必须是文本或内容块的数组', en: 'must be a text or a list of content blocks' };

/** @throws {AppError} 400 with the field at fault */
export function checkRequest(body: Body): void {
  checkPrompt(body);
  // A limit of 0 fills the prompt cache without generating. https://platform.claude.com/docs/en/build-with-claude/prompt-caching
  if (new StrictFields(body).integer('max_tokens', 0, tokenLimit) === undefined) throw badField('max_tokens', fieldRules.required);
  checkPresent(body, optionalFields);
}

const numberCheck: FieldCheck = (fields, field) => fields.number(field);

const optionalFields: ReadonlyMap<string, FieldCheck> = new Map<string, FieldCheck>([
  ['temperature', numberCheck],
  ['top_p', numberCheck],
  ['top_k', numberCheck],
  ['stream', (fields, field) => fields.boolean(field)],
  ['stop_sequences', (fields, field) => fields.list(field)],
  ['thinking', (fields, field) => fields.object(field)],
]);

/**
 * Validates the fields of a token count, which calls have too.
 * @throws {AppError} 400 with the field at fault
 */
export function checkPrompt(body: Body): void {
  // A stored thread may be continued without messages.
  checkMessages(body, threadOf(body)?.previousId === undefined ? 1 : 0);
}

function checkMessages(body: Body, fewest: number): void {
  const messages = new StrictFields(body).list('messages');
  if (messages === undefined || messages.length < fewest) throw new AppError('invalid_text_request', {}, { field: 'messages' });
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (!isObject(message)) throw badField(`messages.${index}`, fieldRules.object);
    if (typeof message.role !== 'string') throw badField(`messages.${index}.role`, fieldRules.text);
    if (!isContent(message.content)) throw badField(`messages.${index}.content`, textOrBlocks);
  }
  if (!isContent(body['system'])) throw badField('system', textOrBlocks);
  if (body['tools'] !== undefined) new StrictFields(body).list('tools');
}

function isContent(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string' || Array.isArray(value);
}

/** Requires a body that `checkRequest` accepted. */
export function callParameters(body: Body): CallParameters {
  return {
    maxTokens: new StrictFields(body).number('max_tokens') ?? 0,
    choices: 1,
    // Every stream of this format ends with usage.
    wantsUsage: true,
    mostTokenBytes: plainTokenBytes,
  };
}
