// A reranking in the shape of whoever asked.
import { inputTokens } from '#shared/token-usage.ts';
import type { DecodeInput } from '#server/formats/decoded-whole.ts';
import type { Body } from '#server/formats/strict-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { textOf } from './documents.ts';
import type { RerankResponse, RerankResult } from './rerank-parts.ts';

/** @param told the provider's response, whose other fields are kept */
export function writeResponse(
  response: RerankResponse,
  { told, input: { responseFields: asked, writer } }: { told: Body; input: Pick<DecodeInput, 'responseFields' | 'writer'> },
): Record<string, unknown> {
  const { topN } = asked;
  const results = typeof topN === 'number' ? response.results.slice(0, topN) : response.results;
  return asked.shape === 'jina'
    ? jinaResponse({ ...response, results }, { told, asked, model: writer.model })
    : cohereResponse({ ...response, results }, { told, asked, id: writer.requestId });
}

/** `usage` has the names of Jina and those of OpenAI, because either's clients read it. https://api.jina.ai/redoc#tag/rerank */
function jinaResponse(
  { results, usage }: RerankResponse,
  { told, asked, model }: { told: Body; asked: Body; model: string },
): Record<string, unknown> {
  const tokens = usage === null ? 0 : inputTokens(usage);
  const output = usage?.output ?? 0;
  return {
    object: 'list',
    model,
    ...told,
    usage: {
      ...(isObject(told.usage) ? told.usage : {}),
      prompt_tokens: tokens,
      completion_tokens: output,
      total_tokens: tokens + output,
    },
    results: results.map(({ index, score, document }) => {
      const row = { index, relevance_score: score };
      if (asked.returnsDocuments === false) return row;
      const shown = isMissing(document) ? filledIn(index, asked) : document;
      return shown === undefined ? row : { ...row, document: shown };
    }),
  };
}

/** https://docs.cohere.com/v1/reference/rerank, https://docs.cohere.com/v2/reference/rerank */
function cohereResponse(
  { results, usage, units }: RerankResponse,
  { told, asked, id }: { told: Body; asked: Body; id: string },
): Record<string, unknown> {
  const meta = isObject(told.meta) ? told.meta : {};
  const billed = isObject(meta.billed_units) ? meta.billed_units : {};
  const { id: ownId } = told;
  return {
    id: typeof ownId === 'string' ? ownId : id,
    results: results.map((result) => cohereRow(result, asked)),
    meta: {
      api_version: { version: '1' },
      ...meta,
      ...(asked.shape === 'cohere-v2' ? { api_version: { version: '2' } } : {}),
      billed_units: { ...billed, ...(units === undefined ? {} : { search_units: units.count }) },
      ...(usage === null ? {} : { tokens: { input_tokens: inputTokens(usage), output_tokens: usage.output } }),
    },
  };
}

function cohereRow({ index, score, document }: RerankResult, asked: Body): Record<string, unknown> {
  const row = { index, relevance_score: score };
  if (asked.returnsDocuments !== true) return row;
  if (isObject(document)) return { ...row, document };
  const text = isMissing(document) ? filledIn(index, asked) : textOf(document);
  return text === undefined ? row : { ...row, document: { text } };
}

function isMissing(document: unknown): boolean {
  return document === undefined || document === '';
}

/** What the request's document says, where it was asked for and the provider does not tell it. */
function filledIn(index: number, { texts }: Body): string | undefined {
  const text: unknown = Array.isArray(texts) ? texts[index] : undefined;
  return typeof text === 'string' && text !== '' ? text : undefined;
}
