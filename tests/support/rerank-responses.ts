// Reranking as the fake upstream answers it: as OpenAI's relatives do, or as a provider has it whose model is named for it.
// https://api.jina.ai/redoc#tag/rerank, https://docs.cohere.com/v1/reference/rerank
import { isObject } from '#server/framing/loose-json.ts';
import type { Behaviour, UpstreamError } from './upstream-behaviour.ts';

/** The response, or why there is none. The longer document is the more relevant one. */
export function rerankingOf(body: unknown, { usage }: Pick<Behaviour, 'usage'>): object {
  if (!isObject(body) || typeof body['model'] !== 'string') return refusal('model is required', 'model');
  const { model, query, documents, top_n: topN, return_documents: returns } = body;
  if (query === undefined || query === '') return refusal('query is required', 'query');
  if (!Array.isArray(documents) || documents.length === 0) return refusal('documents is required', 'documents');
  if (topN === 0) return refusal('top_n must be positive', 'top_n');
  const results = documents
    .map((document: unknown, index) => ({ index, relevance_score: 1 - 1 / (1 + textOf(document).length), text: textOf(document) }))
    .toSorted((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, typeof topN === 'number' ? topN : documents.length);
  const isCohere = model.startsWith('cohere');
  const returned = isCohere ? returns === true : returns !== false;
  const isXinference = model.startsWith('xinference');
  const rows = results.map(({ text, ...row }) => ({ ...row, ...(returned ? { document: isXinference ? '' : { text } } : {}) }));
  if (isCohere) {
    const meta = { api_version: { version: '1' }, billed_units: { search_units: Math.ceil(documents.length / 100) } };
    return { id: 'rerank-1', results: rows, meta };
  }
  if (isXinference) return { id: 'rerank-2', results: rows, meta: null };
  if (model.startsWith('siliconflow')) {
    return { id: 'rerank-3', results: rows, meta: { billed_units: { input_tokens: 9 }, tokens: { input_tokens: 9, output_tokens: 0 } } };
  }
  return { model, results: rows, ...(usage === 'none' ? {} : { usage: usage ?? { total_tokens: 38 } }) };
}

function textOf(document: unknown): string {
  return isObject(document) ? String(document['text']) : String(document);
}

function refusal(message: string, param: string): UpstreamError {
  return { message, type: 'invalid_request_error', param, code: null };
}
