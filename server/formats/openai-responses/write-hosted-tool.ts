// Writes hosted tools of other formats. https://platform.openai.com/docs/guides/tools-web-search
import type { HostedKind } from '#shared/hosted-tools.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { namesStores } from '../hosted-tools.ts';
import type { Losses } from '../losses.ts';
import type { HostedTool } from '../parts.ts';

export const hostedTypes: Readonly<Partial<Record<HostedKind, string>>> = {
  web_search: 'web_search',
  code_execution: 'code_interpreter',
  file_search: 'file_search',
};

/** Returns null if the format has no such tool, or only with objects of the provider's account. */
export function writeHostedTool({ kind, origin, object, options, field }: HostedTool, losses: Losses): Record<string, unknown> | null {
  if (origin === 'openai-responses') return { ...object };
  if (kind === 'code_execution') return { type: 'code_interpreter', container: { type: 'auto' } };
  if (kind === 'file_search') return origin === 'openai-chat' ? writeFileSearch(object) : null;
  if (kind !== 'web_search') return null;
  const { allowedDomains, blockedDomains, location, contextSize } = options;
  if (blockedDomains !== undefined) losses.dropNamed(`${field}.blocked_domains`);
  return {
    type: 'web_search',
    ...(allowedDomains === undefined ? {} : { filters: { allowed_domains: allowedDomains } }),
    ...(location === undefined ? {} : { user_location: { type: 'approximate', ...location } }),
    ...(contextSize === undefined ? {} : { search_context_size: contextSize }),
  };
}

const ofFileSearch = ['vector_store_ids', 'max_num_results', 'ranking_options', 'filters'];

/**
 * Accepts this format's form, or an object under the tool's name. If null, it names no store.
 * https://platform.openai.com/docs/guides/tools-file-search
 */
function writeFileSearch(object: HostedTool['object']): Record<string, unknown> | null {
  if (!namesStores(object)) return null;
  const inner = object['file_search'];
  const reported = { ...object, ...(isObject(inner) ? inner : {}) };
  const options = ofFileSearch.flatMap((name) => (reported[name] === undefined ? [] : [[name, reported[name]] as const]));
  return { type: 'file_search', ...Object.fromEntries(options) };
}
