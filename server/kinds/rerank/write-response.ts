// Writes a reranking in the caller's shape.
import { inputTokens } from '#shared/token-usage.ts';
import type { DecodeInput } from '#server/formats/decoded-whole.ts';
import type { Body } from '#server/framing/strict-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { textOf } from './documents.ts';
import type { RerankResponse, RerankResult } from './rerank-parts.ts';

/** @param reported the provider's response, whose other fields are preserved */
export function writeResponse(
  response: RerankResponse,
  { reported, input: { responseFields: requested, writer } }: { reported: Body; input: Pick<DecodeInput, 'responseFields' | 'writer'> },
): Record<string, unknown> {
  const { topN } = requested;
  const results = typeof topN === 'number' ? response.results.slice(0, topN) : response.results;
  return requested.shape === 'jina'
    ? jinaResponse({ ...response, results }, { reported, requested, model: writer.model })
    : cohereResponse({ ...response, results }, { reported, requested, id: writer.requestId });
}

/** `usage` has the names of Jina and those of OpenAI, because either's clients read it. https://api.jina.ai/redoc#tag/rerank */
function jinaResponse(
  { results, usage }: RerankResponse,
  { reported, requested, model }: { reported: Body; requested: Body; model: string },
): Record<string, unknown> {
  const tokens = usage === null ? 0 : inputTokens(usage);
  const output = usage?.output ?? 0;
  return {
    object: 'list',
    model,
    ...reported,
    usage: {
      ...(isObject(reported.usage) ? reported.usage : {}),
      prompt_tokens: tokens,
      completion_tokens: output,
      total_tokens: tokens + output,
    },
    results: results.map(({ index, score, document }) => {
      const row = { index, relevance_score: score };
      if (requested.returnsDocuments === false) return row;
      const shown = isMissing(document) ? filledIn(index, requested) : document;
      return shown === undefined ? row : { ...row, document: shown };
    }),
  };
}

/** https://docs.cohere.com/v1/reference/rerank, https://docs.cohere.com/v2/reference/rerank */
function cohereResponse(
  { results, usage, units }: RerankResponse,
  { reported, requested, id }: { reported: Body; requested: Body; id: string },
): Record<string, unknown> {
  const meta = isObject(reported.meta) ? reported.meta : {};
  const billed = isObject(meta.billed_units) ? meta.billed_units : {};
  const { id: ownId } = reported;
  return {
    id: typeof ownId === 'string' ? ownId : id,
    results: results.map((result) => cohereRow(result, requested)),
    meta: {
      api_version: { version: '1' },
      ...meta,
      ...(requested.shape === 'cohere-v2' ? { api_version: { version: '2' } } : {}),
      billed_units: { ...billed, ...(units === undefined ? {} : { search_units: units.count }) },
      ...(usage === null ? {} : { tokens: { input_tokens: inputTokens(usage), output_tokens: usage.output } }),
    },
  };
}

function cohereRow({ index, score, document }: RerankResult, requested: Body): Record<string, unknown> {
  const row = { index, relevance_score: score };
  if (requested.returnsDocuments !== true) return row;
  if (isObject(document)) return { ...row, document };
  const text = isMissing(document) ? filledIn(index, requested) : textOf(document);
  return text === undefined ? row : { ...row, document: { text } };
}

function isMissing(document: unknown): boolean {
  return document === undefined || document === '';
}

/** Text of a document that was requested but not returned by the provider. */
function filledIn(index: number, { texts }: Body): string | undefined {
  const text: unknown = Array.isArray(texts) ? texts[index] : undefined;
  return typeof text === 'string' && text !== '' ? text : undefined;
}
