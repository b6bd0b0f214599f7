// OpenAI's embeddings requests. https://platform.openai.com/docs/api-reference/embeddings
import { AppError } from '#shared/errors.ts';
import { requestedByBody } from '#server/formats/call-address.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { criticalMembers } from '#server/formats/critical-members.ts';
import { untranslatable } from '#server/formats/losses.ts';
import { addMediaTokens, emptyPrompt, type PromptContent } from '#server/formats/prompt-content.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { inputTokens } from '#shared/token-usage.ts';
import type { EmbeddingsClient, EmbeddingsRequest, EmbeddingsResponse } from './embeddings-parts.ts';
import { type DecodeTokens, isTokenList } from '#server/formats/token-lists.ts';
import { openaiForward, writeVector } from './openai-forward.ts';

const textOrList = { zh: '必须是文本或数组', en: 'must be a text or a list' };
const title = { zh: '此提供商的向量接口', en: "this provider's embeddings" };
const textOrTokens = { zh: '必须是文本或词元编号的数组', en: 'must be a text or a list of tokens' };
const unknownTokens = { zh: '含有不存在的词元编号', en: 'holds tokens that do not exist' };
const mostDimensions = 1_000_000;
/** The vendor's limits: texts per call, and their tokens in total. */
const mostInputs = 2048;
const mostTokens = 300_000;
/** Tokens of an image of unknown size. */
const imageTokens = 255;

export const openaiEmbeddings: EmbeddingsClient = {
  // Old clients name the model only in the path.
  read: (body, { model }) => requestedByBody(body.model === undefined && model !== undefined ? { ...body, model } : body),
  check,
  parameters: () => ({ maxTokens: 0, choices: 1, wantsUsage: false, mostTokenBytes: 0 }),
  promptContent: ({ input }) => {
    const prompt = emptyPrompt();
    addInput(prompt, input);
    return prompt;
  },
  names: criticalMembers(['model', 'input', 'text', 'image', 'dimensions', 'encoding_format']),
  responseFields: ({ encoding_format, dimensions }) => ({ encoding_format, dimensions }),
  probe: (model) => ({ model, input: ['hello world'] }),
  readRequest,
  writeResponse,
  forward: openaiForward,
};

/** @throws {AppError} 400 with the invalid field */
function check(body: Body): void {
  const { input } = body;
  if (input === undefined || input === null || input === '' || (Array.isArray(input) && input.length === 0)) {
    throw new AppError('invalid_embedding_request', {}, { field: 'input' });
  }
  if (typeof input !== 'string' && !Array.isArray(input)) throw badField('input', textOrList);
  if (Array.isArray(input)) checkList(input);
  const fields = new StrictFields(body);
  fields.integer('dimensions', 1, mostDimensions);
  fields.oneOf('encoding_format', ['float', 'base64']);
}

function checkList(input: readonly unknown[]): void {
  if (isTokenList(input)) return checkTokens(input.length);
  if (input.length > mostInputs) throw badField('input', fieldRules.most(mostInputs));
  let tokens = 0;
  for (const [index, item] of input.entries()) {
    if (isTokenList(item)) tokens += item.length;
    else if (typeof item !== 'string' && !isObject(item)) throw badField(`input.${index}`, textOrTokens);
  }
  checkTokens(tokens);
}

function checkTokens(count: number): void {
  if (count > mostTokens) throw badField('input', fieldRules.most(mostTokens));
}

function addInput(prompt: PromptContent, input: unknown): void {
  if (typeof input === 'string') prompt.texts.push(input);
  // Token ids, one by one or in lists.
  else if (typeof input === 'number') prompt.fixed += 1;
  else if (Array.isArray(input)) for (const item of input) addInput(prompt, item);
  else if (isObject(input)) {
    if (typeof input.text === 'string') prompt.texts.push(input.text);
    if (input.image === undefined) return;
    addMediaTokens(prompt, imageTokens);
  }
}

function readRequest(
  { model: _model, input, dimensions, encoding_format: _format, user: _user, ...extras }: Body,
  decodeTokens: DecodeTokens,
): EmbeddingsRequest | Promise<EmbeddingsRequest> {
  const items: readonly unknown[] = Array.isArray(input) && !isTokenList(input) ? input : [input];
  const request = (inputs: readonly string[]) => ({ inputs, dimensions: typeof dimensions === 'number' ? dimensions : undefined, extras });
  if (!items.some(isTokenList)) return request(items.map(textOf));
  return decodeTokens(items.filter(isTokenList)).then((texts) => {
    if (texts === null) throw badField('input', unknownTokens);
    const decoded = texts.values();
    return request(items.map((item) => (isTokenList(item) ? (decoded.next().value ?? '') : textOf(item))));
  });
}

function textOf(item: unknown): string {
  if (typeof item !== 'string') throw untranslatable('input', title);
  return item;
}

function writeResponse(
  { vectors, usage }: EmbeddingsResponse,
  { responseFields, writer }: Parameters<EmbeddingsClient['writeResponse']>[1],
): Record<string, unknown> {
  const tokens = usage === null ? 0 : inputTokens(usage);
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: writeVector(vector, responseFields) })),
    model: writer.model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}
