// Reads search requests. https://platform.openai.com/docs/api-reference/vector-stores/search
import { fieldRules } from '#shared/field-rules.ts';
import { badField, type StrictFields } from '#server/framing/strict-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { strictFields } from './store-fields.ts';

export interface SearchRequest {
  /** Body for the provider. */
  body: object;
  texts: readonly string[];
  /** Maximum number of results. */
  results: number;
}

const known = new Set(['query', 'filters', 'max_num_results', 'ranking_options', 'rewrite_query']);
const longestQuery = 4096;
const mostQueries = 10;
const mostResults = 50;
/** The vendor's default. */
const usualResults = 10;
const mostConditions = 100;
const deepestFilter = 10;
const longestValue = 512;
/** Total of all conditions. */
const mostValues = 1000;
/** Maximum length of attribute keys and of ranker names. */
const longestKey = 64;
const comparisons = new Set(['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin']);
const joints = new Set(['and', 'or']);

/** @throws {AppError} `invalid_request` */
export function readSearch(body: unknown): SearchRequest {
  const fields = strictFields(body, known);
  const { query } = fields.plain;
  const texts: unknown[] = Array.isArray(query) ? query : [query];
  if (texts.length === 0 || texts.length > mostQueries) throw badField('query', fieldRules.most(mostQueries));
  const queries = texts.map(queryText);
  const ranking = fields.fields('ranking_options');
  const filters = fields.raw('filters');
  const requested = {
    query: Array.isArray(query) ? queries : queries[0],
    filters: filters === undefined ? undefined : checkFilter(filters, { conditions: mostConditions, values: mostValues }, 0),
    max_num_results: fields.integer('max_num_results', 1, mostResults),
    ranking_options: ranking === undefined ? undefined : rankingOf(ranking),
    rewrite_query: fields.boolean('rewrite_query'),
  };
  return { body: requested, texts: queries, results: requested.max_num_results ?? usualResults };
}

function queryText(text: unknown): string {
  if (typeof text !== 'string' || text === '') throw badField('query', fieldRules.text);
  if (text.length > longestQuery) throw badField('query', fieldRules.longest(longestQuery));
  return text;
}

function rankingOf(fields: StrictFields): object {
  const threshold = fields.number('score_threshold');
  if (threshold !== undefined && (threshold < 0 || threshold > 1)) throw badField(fields.path('score_threshold'), fieldRules.atMost(1));
  const ranker = fields.text('ranker');
  if (ranker !== undefined && ranker.length > longestKey) throw badField(fields.path('ranker'), fieldRules.longest(longestKey));
  return { ranker, score_threshold: threshold };
}

/**
 * Copies the filter, limited to what the vendor supports.
 * @param left remaining conditions and values
 */
function checkFilter(filter: unknown, left: { conditions: number; values: number }, depth: number): object {
  left.conditions -= 1;
  if (!isObject(filter) || depth > deepestFilter || left.conditions < 0) throw badField('filters', fieldRules.invalid);
  const { type, key, value, filters } = filter;
  if (typeof type !== 'string') throw badField('filters', fieldRules.invalid);
  if (joints.has(type) && Array.isArray(filters))
    return { type, filters: filters.map((inner: unknown) => checkFilter(inner, left, depth + 1)) };
  const values: unknown[] = Array.isArray(value) ? value : [value];
  left.values -= values.length;
  if (!comparisons.has(type) || typeof key !== 'string' || key.length > longestKey || left.values < 0 || !values.every(isValue))
    throw badField('filters', fieldRules.invalid);
  return { type, key, value };
}

function isValue(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= longestValue;
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}
