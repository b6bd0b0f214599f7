// Maps search fields of Perplexity's former chat completions to members of the search tool.
// https://docs.perplexity.ai/docs/agent-api/migrate-from-sonar/how-to https://docs.perplexity.ai/docs/agent-api/tools/web-search
import { isObject } from '#server/framing/loose-json.ts';
import type { Losses } from '../../losses.ts';
import type { HostedTool } from '../../parts.ts';
import type { ExtraField } from '../../request-fields.ts';

type Json = Record<string, unknown>;

const filterNames: ReadonlySet<string> = new Set([
  'search_domain_filter',
  'search_recency_filter',
  'search_after_date_filter',
  'search_before_date_filter',
  'last_updated_after_filter',
  'last_updated_before_filter',
]);

export interface SearchFields {
  filters: Json;
  /** Maximum pages. */
  results?: unknown;
  language?: unknown;
  isOffline: boolean;
  /** Extra fields that do not concern search. */
  rest: ExtraField[];
}

export function readSearchFields(extras: readonly ExtraField[]): SearchFields {
  const fields: SearchFields = { filters: {}, isOffline: false, rest: [] };
  for (const extra of extras) {
    const { field, name, value } = extra;
    if (field !== null) fields.rest.push(extra);
    else if (filterNames.has(name)) fields.filters[name] = value;
    else if (name === 'num_search_results') fields.results = value;
    else if (name === 'language_preference') fields.language = value;
    else if (name === 'disable_search') fields.isOffline = value === true;
    else fields.rest.push(extra);
  }
  return fields;
}

const places = ['latitude', 'longitude', 'country', 'region', 'city'] as const;
/** Members of the search tool that only callers of Perplexity's API set. */
const perplexityMembers = ['max_results', 'max_tokens', 'max_tokens_per_page', 'search_type'] as const;

/**
 * Writes the search tool.
 * @param tool requested tool; undefined if the model searches by itself
 */
export function writeSearch(tool: HostedTool | undefined, fields: SearchFields, losses: Losses): Json {
  const { options = {}, object = {}, field = '' } = tool ?? {};
  const { allowedDomains = [], blockedDomains = [], contextSize } = options;
  const own = isObject(object['filters']) ? picked(object['filters'], [...filterNames]) : {};
  const domains = [...allowedDomains, ...blockedDomains.map((domain) => `-${domain}`)];
  // Allowed and blocked domains cannot be combined.
  if (allowedDomains.length > 0 && blockedDomains.length > 0) losses.dropNamed(`${field}.blocked_domains`);
  const listed = allowedDomains.length > 0 ? allowedDomains : domains;
  const filters = { ...(listed.length === 0 ? {} : { search_domain_filter: listed }), ...own, ...fields.filters };
  const reported = isObject(object['user_location']) ? picked(object['user_location'], places) : {};
  const { timezone, ...known } = options.location ?? {};
  if (timezone !== undefined) losses.dropNamed(`${field}.user_location.timezone`);
  const location = { ...known, ...reported };
  return {
    type: 'web_search',
    ...(contextSize === undefined ? {} : { search_context_size: contextSize }),
    ...(tool?.origin === 'openai-responses' ? picked(object, perplexityMembers) : {}),
    ...(fields.results === undefined ? {} : { max_results: fields.results }),
    ...(Object.keys(filters).length === 0 ? {} : { filters }),
    ...(Object.keys(location).length === 0 ? {} : { user_location: location }),
  };
}

function picked(object: Readonly<Record<string, unknown>>, names: readonly string[]): Json {
  return Object.fromEntries(names.flatMap((name) => (object[name] === undefined || object[name] === null ? [] : [[name, object[name]]])));
}
