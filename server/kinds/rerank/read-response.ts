// Reads a provider's reranking. Usage is in `usage` (Jina, OpenAI's shape), `meta.tokens` (SiliconFlow) or
// `meta.billed_units` (Cohere, mostly searches without tokens). Ali's results are in `output`.
import type { CallUnits } from '#shared/call-units.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { Body } from '#server/framing/strict-fields.ts';
import { tokenCount } from '#server/formats/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { readPromptUsage } from '../prompt-usage.ts';
import type { RerankResponse, RerankResult } from './rerank-parts.ts';

/** Moves results out of `output`. */
export function flattened(reported: Body): Body {
  const { output, request_id: id, ...rest } = reported;
  return reported.results === undefined && isObject(output)
    ? { ...(typeof id === 'string' ? { id } : {}), ...rest, results: output.results }
    : reported;
}

/** Returns null if it is no reranking of the requested documents. */
export function readResponse(reported: Body, { documents }: Body): RerankResponse | null {
  const most = typeof documents === 'number' ? documents : Infinity;
  if (!Array.isArray(reported.results) || reported.results.length > most) return null;
  const results: RerankResult[] = [];
  for (const row of reported.results) {
    const result = isObject(row) ? resultOf(row) : null;
    if (result === null || result.index >= most) return null;
    results.push(result);
  }
  const meta = isObject(reported.meta) ? reported.meta : {};
  const usage = firstUsage([reported.usage, meta.tokens, meta.billed_units]);
  const units = unitsOf(meta.billed_units);
  return usage === undefined || units === null ? null : { results, usage, units };
}

function resultOf({ index, relevance_score: score, document }: Body): RerankResult | null {
  if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || typeof score !== 'number') return null;
  return { index, score, document: document ?? undefined };
}

/** Null if none is reported; undefined if the first one has impossible numbers. */
function firstUsage(all: readonly unknown[]): TokenUsage | null | undefined {
  for (const one of all) {
    const usage = readPromptUsage(one);
    if (usage !== null) return usage;
  }
  return null;
}

/** Undefined if none is reported; null if the number is invalid. */
function unitsOf(billed: unknown): CallUnits | undefined | null {
  if (!isObject(billed) || billed.search_units === undefined || billed.search_units === null) return undefined;
  const count = tokenCount(billed.search_units);
  return count === undefined ? null : { kind: 'search', count };
}
