// Reranking requests in the format of Jina and Cohere.
import type { CallUnits } from '#shared/call-units.ts';
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { type CallAddress, requestedByBody } from '#server/formats/call-address.ts';
import type { ClientCall } from '#server/formats/client-dialect.ts';
import { criticalMembers } from '#server/formats/critical-members.ts';
import { addMediaTokens, emptyPrompt } from '#server/formats/prompt-content.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { readableTexts, textOf } from './documents.ts';
import type { RerankRequested, RerankShape } from './rerank-parts.ts';

/** Cohere's limit, the largest of all providers. https://docs.cohere.com/docs/reranking-best-practices */
const mostDocuments = 10_000;
const largestTopN = 1_000_000;
/** Tokens of an image of unknown size. */
const imageTokens = 255;

export const rerankClient: ClientCall = {
  read: (body) => ({ ...requestedByBody(body), isStream: false }),
  check,
  parameters: () => ({ maxTokens: 0, choices: 1, wantsUsage: false, mostTokenBytes: 0 }),
  promptContent({ query, documents }) {
    const prompt = emptyPrompt();
    const all = Array.isArray(documents) ? documents : [];
    for (const part of [query, ...all]) {
      prompt.texts.push(...readableTexts(part));
      if (isObject(part) && part.image !== undefined) addMediaTokens(prompt, imageTokens);
    }
    prompt.units = mostSearches(all);
    return prompt;
  },
  names: criticalMembers(['model', 'query', 'documents', 'text', 'image', 'rank_fields']),
  responseFields: (body, address) => ({ ...requestedFor(body, address) }),
  probe: (model) => ({ model, query: 'hello', documents: ['hello world'] }),
};

/** @throws {AppError} 400 with the invalid field */
function check(body: Body): void {
  const { query, documents } = body;
  if (query === undefined || query === null || query === '') throw new AppError('invalid_query', {}, { field: 'query' });
  if (typeof query !== 'string' && !isObject(query)) throw badField('query', textOrObject);
  if (documents === undefined || documents === null || (Array.isArray(documents) && documents.length === 0))
    throw new AppError('invalid_documents', {}, { field: 'documents' });
  if (!Array.isArray(documents)) throw badField('documents', fieldRules.list);
  if (documents.length > mostDocuments) throw badField('documents', fieldRules.most(mostDocuments));
  for (const [index, document] of documents.entries()) {
    if (typeof document !== 'string' && !isObject(document)) throw badField(`documents.${index}`, textOrObject);
  }
  const fields = new StrictFields(body);
  fields.integer('top_n', 0, largestTopN);
  fields.boolean('return_documents');
}

const textOrObject = fieldRules.anyOf([fieldRules.text, fieldRules.object]);

function requestedFor(body: Body, { headers }: CallAddress): RerankRequested {
  const { top_n: topN, return_documents: returns, documents } = body;
  const all: readonly unknown[] = Array.isArray(documents) ? documents : [];
  return {
    shape: shapeOf(body, headers),
    topN: typeof topN === 'number' && topN > 0 ? topN : undefined,
    documents: all.length,
    returnsDocuments: typeof returns === 'boolean' ? returns : undefined,
    // Some providers do not return documents. The texts live no longer than the body, which is accounted at twice its
    // length.
    texts: returns === true ? all.map((document) => textOf(document) ?? '') : undefined,
  };
}

const cohereFields = ['rank_fields', 'max_chunks_per_doc', 'max_tokens_per_doc'];

/** Cohere's SDKs identify themselves; hand-written requests are recognized by fields that only Cohere has. */
function shapeOf(body: Body, headers: Headers): RerankShape {
  const isCohere = headers.get('x-fern-sdk-name')?.startsWith('cohere') === true || cohereFields.some((name) => body[name] !== undefined);
  return isCohere ? 'cohere' : 'jina';
}

/**
 * Cohere bills a search: one query with up to 100 documents, a long one counted as several. https://cohere.com/pricing
 */
const documentsOfSearch = 100;
const charactersOfChunk = 1000;
const mostChunks = 10;

/** Upper bound of the searches billed. */
function mostSearches(documents: readonly unknown[]): CallUnits {
  let chunks = 0;
  for (const document of documents) {
    const characters = readableTexts(document).reduce((sum, text) => sum + text.length, 0);
    chunks += Math.min(mostChunks, 1 + Math.floor(characters / charactersOfChunk));
  }
  return { kind: 'search', count: Math.max(1, Math.ceil(chunks / documentsOfSearch)) };
}
