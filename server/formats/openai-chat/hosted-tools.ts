// Tools and fields of chat completions that run search or code at the provider.
import type { HostedKind, HostedVariant } from '#shared/hosted-tools.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { type HostedAccess, type HostedPlace, placesInTools, withoutTools } from '../hosted-tools.ts';

type Body = Readonly<Record<string, unknown>>;

const kinds: readonly (readonly [type: RegExp, kind: HostedKind])[] = [
  [/^(?:web_|\$web_search|openrouter:web|builtin_function)/, 'web_search'],
  [/^code_/, 'code_execution'],
  [/^(?:file_search|retrieval)/, 'file_search'],
  [/^image_generation/, 'image_generation'],
  [/^mcp/, 'mcp'],
  // Tools of gateways bear their name. Some run a model that their parameters name, which the key may lack access to; the time is free.
  // https://openrouter.ai/docs/guides/features/server-tools
  [/^(?!openrouter:datetime$)[\w.-]+:/, 'other'],
];
/** Fields that enable search. https://platform.openai.com/docs/guides/tools-web-search?api-mode=chat */
const searchFields: Readonly<Record<string, (value: unknown) => boolean>> = {
  web_search_options: isObject,
  enable_search: (value) => value === true,
  search_parameters: (value) => isObject(value) && value.mode !== 'off',
};
/** Models that search in every call. */
const searchModel = /search-preview|search-api|^(?:perplexity\/)?sonar/;

const perplexityModel = /^(?:perplexity\/)?sonar/;
/** Models billed by query, whatever the context size. */
const researchModel = /^(?:perplexity\/)?sonar-deep-research/;

/** Returns the kind of a hosted tool; null for others, which are forwarded because each provider has its own. */
export function kindOfTool({ type }: Body): HostedKind | null {
  return typeof type === 'string' ? (kinds.find(([name]) => name.test(type))?.[1] ?? null) : null;
}

export const hosted: HostedAccess = {
  find(body) {
    const { tools, tool_choice: choice } = body;
    if (tools === undefined) return hasSearchField(body) ? searchesIn(body) : noPlaces;
    const list: unknown[] = Array.isArray(tools) ? tools : [];
    const isAnyForced = choice === 'required' && list.every((tool) => isObject(tool) && kindOfTool(tool) !== null);
    const named = isObject(choice) && choice.type !== 'function' ? choice.type : undefined;
    const places = placesInTools(tools, {
      kindOf: kindOfTool,
      isForced: (tool) => isAnyForced || (named !== undefined && tool['type'] === named),
    });
    return hasSearchField(body) ? [...places, ...searchesIn(body)] : places;
  },
  without(body, names) {
    const left = withoutTools(body, names);
    if (!Object.keys(searchFields).some((name) => names.has(name))) return left;
    return Object.fromEntries(Object.entries(left).filter(([name]) => !names.has(name)));
  },
  variants(body) {
    const variant = searchVariant(body);
    return variant === undefined ? {} : { web_search: [variant] };
  },
  always: (model) => (isSearchModel(model) ? [{ kind: 'web_search', most: mostSearches(model) }] : []),
  // https://developers.openai.com/api/docs/guides/tools-web-search: searches in chat completions use the earlier tool.
  writtenVariants: { web_search: ['preview'] },
  billsQueries: (model) => researchModel.test(model),
  // Responses do not report runs, so one is assumed.
  atLeast(body) {
    const isSearch = (hasSearchField(body) && searchesIn(body).length > 0) || isSearchModel(body['model']);
    if (!isSearch && body['tools'] === undefined) return undefined;
    const kindsIn = new Set<HostedKind>(
      placesInTools(body['tools'], { kindOf: kindOfTool, isForced: () => false }).map(({ kind }) => kind),
    );
    if (isSearch) kindsIn.add('web_search');
    if (kindsIn.size === 0) return undefined;
    const calls: Partial<Record<HostedKind, number>> = {};
    for (const kind of kindsIn) calls[kind] = 1;
    return calls;
  },
};

export function isSearchModel(model: unknown): boolean {
  return typeof model === 'string' && searchModel.test(model);
}

/** Returns the maximum searches of a call; undefined if unknown. */
function mostSearches(model: string): number | undefined {
  return researchModel.test(model) ? undefined : 1;
}

/**
 * Perplexity charges per call by context size, and a separate fee for multi-step searches, which streams only have.
 * https://docs.perplexity.ai/getting-started/pricing
 */
function searchVariant({ model, web_search_options: options, search_type: searchType, stream }: Body): HostedVariant | undefined {
  const name = String(model);
  if (!perplexityModel.test(name)) return isObject(options) || isSearchModel(name) ? 'preview' : undefined;
  if (researchModel.test(name)) return undefined;
  const { search_context_size: size, search_type: type = searchType } = isObject(options) ? options : {};
  const isLarger = size === 'medium' || size === 'high';
  // The provider does not report what `auto` chose.
  if (stream === true && (type === 'pro' || type === 'auto')) return isLarger ? `pro_${size}` : 'pro';
  return isLarger ? size : undefined;
}

const noPlaces: readonly HostedPlace[] = [];

/** Whether the body has a field for searches; most have none. */
function hasSearchField({ web_search_options: options, enable_search: isEnabled, search_parameters: parameters }: Body): boolean {
  return options !== undefined || isEnabled !== undefined || parameters !== undefined;
}

/** Returns the searches that fields enable. They are forced, because the response would be wrong without them. */
function searchesIn(body: Body): readonly HostedPlace[] {
  return Object.entries(searchFields).flatMap(([name, isSearch]) =>
    isSearch(body[name]) ? [{ kind: 'web_search' as const, name, most: mostSearches(String(body['model'])), isForced: true }] : [],
  );
}
