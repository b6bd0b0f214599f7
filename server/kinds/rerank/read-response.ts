// A provider's reranking. What differs is where usage stands: Jina and those of OpenAI's shape have it in `usage`, SiliconFlow in
// `meta.tokens`, Cohere in `meta.billed_units`, where it mostly tells searches and no tokens. Ali's results stand in `output`.
import type { CallUnits } from '#shared/call-units.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { Body } from '#server/formats/strict-fields.ts';
import { tokenCount } from '#server/formats/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { readPromptUsage } from '../prompt-usage.ts';
import type { RerankResponse, RerankResult } from './rerank-parts.ts';

/** A response whose results stand in `output`, as others have them. */
export function flattened(reported: Body): Body {
  const { output, request_id: id, ...rest } = reported;
  return reported.results === undefined && isObject(output)
    ? { ...(typeof id === 'string' ? { id } : {}), ...rest, results: output.results }
    : reported;
}

/** Null: it is no reranking of what was asked for. */
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

/** Null where none of them tells one; undefined where one tells what cannot be true. */
function firstUsage(all: readonly unknown[]): TokenUsage | null | undefined {
  for (const one of all) {
    const usage = readPromptUsage(one);
    if (usage !== null) return usage;
  }
  return null;
}

/** Undefined: it tells none. Null: it tells what cannot be true. */
function unitsOf(billed: unknown): CallUnits | undefined | null {
  if (!isObject(billed) || billed.search_units === undefined || billed.search_units === null) return undefined;
  const count = tokenCount(billed.search_units);
  return count === undefined ? null : { kind: 'search', count };
}
