// Validates a Messages request before any cost; fast, because every call is validated.
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { type CallParameters, plainTokenBytes } from '../client-dialect.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { threadOf } from './threads.ts';

/** Maximum tokens that a client may request. */
const tokenLimit = 1_073_741_823;
const textOrBlocks = { zh: '必须是文本或内容块的数组', en: 'must be a text or a list of content blocks' };

/** @throws {AppError} 400 with the field at fault */
export function checkRequest(body: Body): void {
  checkPrompt(body);
  const fields = new StrictFields(body);
  // 0 fills the prompt cache without generating. https://platform.claude.com/docs/en/build-with-claude/prompt-caching
  if (fields.integer('max_tokens', 0, tokenLimit) === undefined) throw badField('max_tokens', fieldRules.required);
  for (const field of ['temperature', 'top_p', 'top_k']) fields.number(field);
  fields.boolean('stream');
  fields.list('stop_sequences');
  fields.object('thinking');
}

/** Validates the fields that token counts use, too. @throws {AppError} 400 with the field at fault */
export function checkPrompt(body: Body): void {
  // A stored thread may be continued without messages.
  checkMessages(body, threadOf(body)?.previousId === undefined ? 1 : 0);
}

function checkMessages(body: Body, fewest: number): void {
  const fields = new StrictFields(body);
  const messages = fields.list('messages');
  if (messages === undefined || messages.length < fewest) throw new AppError('invalid_text_request', {}, { field: 'messages' });
  for (const message of fields.objects('messages')) {
    if (!message.has('role')) throw badField(message.path('role'), fieldRules.text);
    message.text('role');
    checkContent(message, 'content');
  }
  checkContent(fields, 'system');
  fields.list('tools');
}

function checkContent(fields: StrictFields, field: string): void {
  const content = fields.raw(field);
  if (content !== undefined && typeof content !== 'string' && !Array.isArray(content)) throw badField(fields.path(field), textOrBlocks);
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
