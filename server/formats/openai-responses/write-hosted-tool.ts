// Writes hosted tools of other formats. https://platform.openai.com/docs/guides/tools-web-search
import type { HostedKind } from '#shared/hosted-tools.ts';
import type { Losses } from '../losses.ts';
import type { HostedTool } from '../parts.ts';

export const hostedTypes: Readonly<Partial<Record<HostedKind, string>>> = {
  web_search: 'web_search',
  code_execution: 'code_interpreter',
  file_search: 'file_search',
};

/** Returns null if the format has no such tool, or only with objects of the provider's account. */
export function writeHostedTool({ kind, options, field }: HostedTool, losses: Losses): Record<string, unknown> | null {
  if (kind === 'code_execution') return { type: 'code_interpreter', container: { type: 'auto' } };
  if (kind === 'file_search') return options.fileSearch === undefined ? null : { type: 'file_search', ...options.fileSearch };
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
