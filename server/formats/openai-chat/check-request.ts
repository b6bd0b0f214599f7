// What must be right in a chat completion request before anything is spent on it; cheap, because every call passes it.
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { plainTokenBytes } from '../client-dialect.ts';
import type { CallParameters } from '../client-dialect.ts';
import { chatIds, checkIds, checkLooseMetadata, openaiMetadata } from '../metadata.ts';
import { badField, StrictFields } from '../strict-fields.ts';
import type { Body } from '../strict-fields.ts';

/** The most tokens that a client may ask for in any field. */
const tokenLimit = 1_073_741_823;
const mostChoices = 128;
const notBoth = { zh: '不能与 messages 同时给出', en: 'cannot be given together with messages' };
const textOrParts = { zh: '必须是文本或内容片段的数组', en: 'must be a text or a list of parts' };

/** @throws {AppError} 400 with the field at fault */
export function checkRequest(body: Body): void {
  const fields = new StrictFields(body);
  if (fields.has('input') && fields.has('messages')) throw badField('input', notBoth);
  const messages = fields.list('messages');
  if (messages === undefined || messages.length === 0) throw new AppError('invalid_text_request', {}, { field: 'messages' });
  for (const message of fields.objects('messages')) {
    if (!message.has('role')) throw badField(message.path('role'), fieldRules.text);
    message.text('role');
    const content = message.raw('content');
    if (content !== undefined && typeof content !== 'string' && !Array.isArray(content))
      throw badField(message.path('content'), textOrParts);
  }
  // As the vendor: below one there is no answer, and many upstreams take it for no limit at all.
  fields.integer('max_tokens', 1, tokenLimit);
  fields.integer('max_completion_tokens', 1, tokenLimit);
  fields.integer('n', 1, mostChoices);
  for (const field of ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty']) fields.number(field);
  fields.boolean('stream');
  fields.object('stream_options');
  checkLooseMetadata(fields, 'metadata', openaiMetadata);
  checkIds(fields, chatIds);
}

/** Only for a body that `checkRequest` let pass. */
export function callParameters(body: Body): CallParameters {
  const fields = new StrictFields(body);
  return {
    // Of two limits the larger one: providers differ in which they heed.
    maxTokens: Math.max(fields.number('max_tokens') ?? 0, fields.number('max_completion_tokens') ?? 0),
    choices: fields.number('n') ?? 1,
    wantsUsage: fields.object('stream_options')?.include_usage === true,
    mostTokenBytes: mostTokenBytes(body),
  };
}

/** A token that might have been written, with its text, its bytes and its probability. */
const alternativeBytes = 160;
const mostAlternatives = 20;

function mostTokenBytes({ logprobs, top_logprobs: alternatives }: Body): number {
  if (logprobs !== true) return plainTokenBytes;
  const count = typeof alternatives === 'number' ? Math.max(0, Math.min(mostAlternatives, alternatives)) : 0;
  return plainTokenBytes + alternativeBytes * (1 + count);
}
