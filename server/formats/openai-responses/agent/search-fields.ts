// Search fields of Perplexity's former chat completions, which are now members of the search tool.
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

export interface SaidSearch {
  filters: Json;
  /** Maximum pages. */
  results?: unknown;
  language?: unknown;
  isOffline: boolean;
  /** Fields that do not concern search. */
  rest: ExtraField[];
}

export function readSearchFields(extras: readonly ExtraField[]): SaidSearch {
  const said: SaidSearch = { filters: {}, isOffline: false, rest: [] };
  for (const extra of extras) {
    const { field, name, value } = extra;
    if (field !== null) said.rest.push(extra);
    else if (filterNames.has(name)) said.filters[name] = value;
    else if (name === 'num_search_results') said.results = value;
    else if (name === 'language_preference') said.language = value;
    else if (name === 'disable_search') said.isOffline = value === true;
    else said.rest.push(extra);
  }
  return said;
}

const places = ['latitude', 'longitude', 'country', 'region', 'city'] as const;
/** Members that callers of Perplexity set on its tool. */
const ownMembers = ['max_results', 'max_tokens', 'max_tokens_per_page', 'search_type'] as const;

/** @param tool as requested; undefined: the model searches by itself */
export function writeSearch(tool: HostedTool | undefined, said: SaidSearch, losses: Losses): Json {
  const { options = {}, object = {}, field = '' } = tool ?? {};
  const { allowedDomains = [], blockedDomains = [], contextSize } = options;
  const own = isObject(object['filters']) ? picked(object['filters'], [...filterNames]) : {};
  const domains = [...allowedDomains, ...blockedDomains.map((domain) => `-${domain}`)];
  // Allowed and blocked domains cannot be combined.
  if (allowedDomains.length > 0 && blockedDomains.length > 0) losses.dropNamed(`${field}.blocked_domains`);
  const listed = allowedDomains.length > 0 ? allowedDomains : domains;
  const filters = { ...(listed.length === 0 ? {} : { search_domain_filter: listed }), ...own, ...said.filters };
  const reported = isObject(object['user_location']) ? picked(object['user_location'], places) : {};
  const { timezone, ...known } = options.location ?? {};
  if (timezone !== undefined) losses.dropNamed(`${field}.user_location.timezone`);
  const location = { ...known, ...reported };
  return {
    type: 'web_search',
    ...(contextSize === undefined ? {} : { search_context_size: contextSize }),
    ...(tool?.origin === 'openai-responses' ? picked(object, ownMembers) : {}),
    ...(said.results === undefined ? {} : { max_results: said.results }),
    ...(Object.keys(filters).length === 0 ? {} : { filters }),
    ...(Object.keys(location).length === 0 ? {} : { user_location: location }),
  };
}

function picked(object: Readonly<Record<string, unknown>>, names: readonly string[]): Json {
  return Object.fromEntries(names.flatMap((name) => (object[name] === undefined || object[name] === null ? [] : [[name, object[name]]])));
}
