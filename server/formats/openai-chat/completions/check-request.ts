// Validates a completion request before any cost.
import { fieldRules } from '#shared/field-rules.ts';
import { type CallParameters, plainTokenBytes } from '../../client-dialect.ts';
import { chatIds, checkIds } from '../../metadata.ts';
import { emptyPrompt, type PromptContent } from '../../prompt-content.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { isTokenList } from '../../token-lists.ts';

/** OpenAI's default limit. */
export const usualMaxTokens = 16;
const tokenLimit = 1_073_741_823;
/** Maximum completions of all prompts together. */
const mostChoices = 128;
/** Maximum tokens of prompts given as tokens. */
const mostTokens = 300_000;
const mostAlternatives = 20;
/** Bytes of an alternative token with its log probability. */
const alternativeBytes = 160;

const textOrTokens = { zh: '必须是文本、词元编号的数组，或由它们组成的数组', en: 'must be a text, a list of tokens, or a list of those' };
const tooManyChoices = {
  zh: `与 n、best_of 相乘后不能超过 ${mostChoices}`,
  en: `times n or best_of must not be more than ${mostChoices}`,
};
const atLeastN = { zh: '不能小于 n', en: 'must not be less than n' };

/** Returns each prompt as text or tokens. If undefined, one is invalid. Null is an empty prompt, the start of a document. */
export function promptsOf({ prompt }: Body): readonly (string | readonly number[])[] | undefined {
  if (prompt === null) return [''];
  if (typeof prompt === 'string' || isTokenList(prompt)) return [prompt];
  if (!Array.isArray(prompt) || prompt.length === 0) return undefined;
  const prompts: (string | readonly number[])[] = [];
  for (const one of prompt) {
    if (typeof one !== 'string' && !isTokenList(one)) return undefined;
    prompts.push(one);
  }
  return prompts;
}

/** @throws {AppError} 400 `invalid_request` with the field at fault */
export function checkRequest(body: Body): void {
  if (body.prompt === undefined) throw badField('prompt', fieldRules.required);
  const prompts = promptsOf(body);
  if (prompts === undefined) throw badField('prompt', textOrTokens);
  const tokens = prompts.reduce((sum, one) => sum + (typeof one === 'string' ? 0 : one.length), 0);
  if (tokens > mostTokens) throw badField('prompt', fieldRules.most(mostTokens));
  const fields = new StrictFields(body);
  checkIds(fields, chatIds);
  // As for chat: values below one yield nothing, and many upstreams treat them as no limit.
  fields.integer('max_tokens', 1, tokenLimit);
  const choices = fields.integer('n', 1, mostChoices) ?? 1;
  const written = fields.integer('best_of', 1, mostChoices) ?? choices;
  if (written < choices) throw badField('best_of', atLeastN);
  if (prompts.length * written > mostChoices) throw badField('prompt', tooManyChoices);
  fields.integer('logprobs', 0, mostAlternatives);
  fields.boolean('echo');
  fields.text('suffix');
  for (const field of ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty']) fields.number(field);
  fields.boolean('stream');
  fields.object('stream_options');
}

/** Requires a body that `checkRequest` accepted. */
export function callParameters(body: Body): CallParameters {
  const fields = new StrictFields(body);
  const alternatives = fields.number('logprobs');
  const prompts = promptsOf(body)?.length ?? 1;
  return {
    maxTokens: fields.number('max_tokens') ?? usualMaxTokens,
    // All generated choices are billed, also those that `best_of` discards.
    choices: prompts * (fields.number('best_of') ?? fields.number('n') ?? 1),
    prompts,
    wantsUsage: fields.object('stream_options')?.include_usage === true,
    mostTokenBytes: plainTokenBytes + (alternatives === undefined ? 0 : alternativeBytes * (1 + alternatives)),
  };
}

export function promptContent(body: Body): PromptContent {
  const prompt = emptyPrompt();
  for (const one of promptsOf(body) ?? []) {
    if (typeof one === 'string') prompt.texts.push(one);
    else prompt.fixed += one.length;
  }
  if (typeof body.suffix === 'string') prompt.texts.push(body.suffix);
  return prompt;
}
