// What must be right in a completion request before anything is spent on it.
import { fieldRules } from '#shared/field-rules.ts';
import { plainTokenBytes } from '../../client-dialect.ts';
import type { CallParameters } from '../../client-dialect.ts';
import { chatIds, checkIds } from '../../metadata.ts';
import { emptyPrompt } from '../../prompt-content.ts';
import type { PromptContent } from '../../prompt-content.ts';
import { badField, StrictFields } from '../../strict-fields.ts';
import type { Body } from '../../strict-fields.ts';
import { isTokenList } from '../../token-lists.ts';

/** Tokens of a completion whose caller names no limit. */
export const usualMaxTokens = 16;
const tokenLimit = 1_073_741_823;
/** Completions of all prompts together. */
const mostChoices = 128;
/** Tokens of all prompts that are given as such. */
const mostTokens = 300_000;
const mostAlternatives = 20;
/** A token that might have been written, with its probability. */
const alternativeBytes = 160;

const textOrTokens = { zh: '必须是文本、词元编号的数组，或由它们组成的数组', en: 'must be a text, a list of tokens, or a list of those' };
const tooManyChoices = {
  zh: `与 n、best_of 相乘后不能超过 ${mostChoices}`,
  en: `times n or best_of must not be more than ${mostChoices}`,
};
const atLeastN = { zh: '不能小于 n', en: 'must not be less than n' };

/** Each prompt, as a text or as tokens; undefined: there is something else. Null is an empty one, with which a document begins. */
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
  // As chat: below one there is nothing, and many upstreams take it for no limit at all.
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

/** Only for a body that `checkRequest` let pass. */
export function callParameters(body: Body): CallParameters {
  const fields = new StrictFields(body);
  const alternatives = fields.number('logprobs');
  const prompts = promptsOf(body)?.length ?? 1;
  return {
    maxTokens: fields.number('max_tokens') ?? usualMaxTokens,
    // All that are written are paid for, also those of which the best are told.
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
