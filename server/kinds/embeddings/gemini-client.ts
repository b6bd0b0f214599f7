// `embedContent` and `batchEmbedContents` requests of callers. https://ai.google.dev/api/embeddings
import { AppError } from '#shared/errors.ts';
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';
import { criticalMembers } from '#server/formats/critical-members.ts';
import type { DecodeInput } from '#server/formats/decoded-whole.ts';
import { untranslatable } from '#server/formats/losses.ts';
import { addMediaTokens, emptyPrompt } from '#server/formats/prompt-content.ts';
import { looseMember, objectsOf, plainBody, plainNames } from '#server/formats/proto-json.ts';
import { refuseAccountObject } from '#server/formats/provider-objects.ts';
import { clientDialects, upstreamDialects } from '#server/formats/registry.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { tokenCount } from '#server/formats/token-usage.ts';
import { outlineOf } from '#server/framing/json-outline.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { EmbeddingsClient, EmbeddingsRequest, ForwardedEmbeddings, LongEmbeddings } from './embeddings-parts.ts';
import { usageOfPrompt } from '../prompt-usage.ts';
import { shortened } from './vectors.ts';

const title = { zh: '此提供商的向量接口', en: "this provider's embeddings" };
const mostDimensions = 1_000_000;
const mostRequests = 2048;
/**
 * Tokens assumed for an image, sound or file; texts are truncated at `mostTokens`.
 * https://ai.google.dev/gemini-api/docs/embeddings
 */
const mediaTokens = 1120;
const mostTokens = 8192;
const known: ReadonlySet<string> = new Set(['model', 'content', 'outputDimensionality']);

export const geminiEmbeddings: EmbeddingsClient = {
  read(body, address) {
    checkVerb(body, address.verb);
    return clientDialects.gemini.calls.chat.read(body, address);
  },
  check(body) {
    const requests = requestsOf(plainNames(body));
    if (requests.length === 0) throw new AppError('invalid_embedding_request', {}, { field: 'requests' });
    if (requests.length > mostRequests)
      throw badField('requests', { zh: `最多 ${mostRequests} 项`, en: `must have at most ${mostRequests} items` });
    for (const request of requests) checkOne(request);
  },
  parameters: () => ({ maxTokens: 0, choices: 1, wantsUsage: false, mostTokenBytes: 0 }),
  promptContent(body) {
    const prompt = emptyPrompt();
    for (const request of looseList(body.requests ?? body)) addContent(prompt, isObject(request) ? request.content : undefined);
    return prompt;
  },
  names: criticalMembers([
    'model',
    'requests',
    'content',
    'parts',
    'text',
    'outputDimensionality',
    'output_dimensionality',
    'inlineData',
    'inline_data',
  ]),
  responseFields: (body, { verb }) => ({ isBatch: verb === 'batchEmbedContents', dimensions: dimensionsOf(body) }),
  readRequest,
  writeResponse({ vectors, usage }, { responseFields }) {
    const reported = usage === null ? {} : { usageMetadata: writeUsage(usage) };
    const length = typeof responseFields.dimensions === 'number' ? responseFields.dimensions : undefined;
    const rows = vectors.map((vector) => ({ values: shortened(vector, length) }));
    return responseFields.isBatch === true ? { embeddings: rows, ...reported } : { embedding: rows[0] ?? { values: [] }, ...reported };
  },
  forward: {
    request: (body, model) => ({ body: withModel(body, model), isBatch: body.requests !== undefined }),
    whole: forwardWhole,
    long: forwardLong,
  },
};

/** Rejects a body that does not match its verb: a batch and a single text are different calls. */
function checkVerb({ requests, content }: Body, verb: string | undefined): void {
  const [wanted, other] = verb === 'batchEmbedContents' ? ['requests', 'content'] : ['content', 'requests'];
  const isOther = verb === 'batchEmbedContents' ? content !== undefined : requests !== undefined;
  if (isOther) throw badField(other, { zh: `不适用于 ${verb}，请使用 ${wanted}`, en: `is not for ${verb}, which takes ${wanted}` });
}

/** Dimensions of the first request; translated batches must agree. */
function dimensionsOf(body: Body): unknown {
  const [first] = looseList(body.requests ?? body);
  return isObject(first) ? looseMember(first, 'outputDimensionality') : undefined;
}

function requestsOf(body: Body): StrictFields[] {
  const fields = new StrictFields(body);
  return fields.has('requests') ? objectsOf(fields, 'requests') : [fields];
}

function checkOne(request: StrictFields): void {
  const fields = new StrictFields(plainNames(request.plain, request.path('').slice(0, -1)), request.path('').slice(0, -1));
  const content = fields.fields('content');
  if (content === undefined || objectsOf(content, 'parts').length === 0)
    throw new AppError('invalid_embedding_request', {}, { field: fields.path('content') });
  const named = upstreamDialects.gemini.findAccountObject({ contents: content.plain });
  refuseAccountObject(named === undefined ? undefined : content.path(named.slice('contents.'.length)));
  fields.integer('outputDimensionality', 1, mostDimensions);
}

function addContent(prompt: ReturnType<typeof emptyPrompt>, content: unknown): void {
  for (const part of looseList(isObject(content) ? content.parts : undefined)) {
    if (!isObject(part)) continue;
    if (typeof part.text === 'string') prompt.texts.push(part.text);
    else {
      addMediaTokens(prompt, mediaTokens, { most: mostTokens });
    }
  }
}

/** An object may replace a list of one. */
function looseList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

/** @throws {AppError} `untranslatable` for content that is no text, and for vectors of different lengths */
function readRequest(body: Body): EmbeddingsRequest {
  const requests = requestsOf(plainBody(body));
  const lengths = new Set(requests.map((request) => request.integer('outputDimensionality', 1, mostDimensions)));
  const [dimensions] = lengths;
  if (lengths.size > 1) throw untranslatable('outputDimensionality', title);
  const inputs = requests.map((request) => {
    const content = request.fields('content');
    const parts = content === undefined ? [] : objectsOf(content, 'parts');
    return parts.map((part) => textOf(part)).join('\n');
  });
  return { inputs, dimensions, extras: {}, lost: [...new Set(requests.flatMap((request) => request.others(known)))] };
}

function textOf(part: StrictFields): string {
  if (!part.has('text')) throw untranslatable(part.path('').slice(0, -1), title);
  return part.requiredText('text');
}

/** Sets the model: optional in a single request, required in each of a batch. */
function withModel(body: Body, model: string): Body {
  const name = `models/${model}`;
  const { requests } = body;
  if (requests === undefined) return body.model === undefined ? body : { ...body, model: name };
  return { ...body, requests: looseList(requests).map((request) => (isObject(request) ? { ...request, model: name } : request)) };
}

function forwardWhole({ body, responseFields }: DecodeInput, _text: string, reported: Body): ForwardedEmbeddings | null {
  const rows = responseFields.isBatch === true ? reported.embeddings : [reported.embedding];
  if (!Array.isArray(rows) || !rows.every(isObject)) return null;
  const { usageMetadata: usage } = reported;
  return { usage: usageOfPrompt(isObject(usage) ? (tokenCount(usage.promptTokenCount) ?? 0) : 0), isEmpty: rows.length === 0, body };
}

/** Only the short members are parsed. */
function* forwardLong(input: DecodeInput): Generator<void, LongEmbeddings | null> {
  const read = yield* outlineOf(input.body, 'embeddings');
  if (read === null || read.isDeep) return null;
  const reported = parseObject(read.text);
  const isList = reported !== null && (Array.isArray(reported.embeddings) || isObject(reported.embedding));
  const usage = isObject(reported?.usageMetadata) ? tokenCount(reported.usageMetadata.promptTokenCount) : undefined;
  return { outline: read.text, forwarded: isList ? { usage: usageOfPrompt(usage ?? 0), isEmpty: false, body: input.body } : null };
}

function writeUsage(usage: TokenUsage): Record<string, unknown> {
  const tokens = inputTokens(usage);
  return { promptTokenCount: tokens, totalTokenCount: tokens };
}
