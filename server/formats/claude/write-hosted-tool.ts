// Writes hosted tools of other formats. https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool
import type { Losses } from '../losses.ts';
import type { HostedTool } from '../parts.ts';

/** Returns null if the format has no such tool. */
export function writeHostedTool({ kind, options, field }: HostedTool, losses: Losses): Record<string, unknown> | null {
  if (kind === 'code_execution') return { type: 'code_execution_20250825', name: 'code_execution' };
  if (kind === 'web_fetch') return { type: 'web_fetch_20250910', name: 'web_fetch', ...limitOf(options.mostCalls) };
  if (kind !== 'web_search') return null;
  const { allowedDomains, blockedDomains, location, contextSize, mostCalls } = options;
  if (contextSize !== undefined && contextSize !== 'medium') losses.dropNamed(`${field}.search_context_size`);
  return {
    type: 'web_search_20250305',
    name: 'web_search',
    ...limitOf(mostCalls),
    // The provider accepts only one of both lists.
    ...(allowedDomains !== undefined
      ? { allowed_domains: allowedDomains }
      : blockedDomains !== undefined
        ? { blocked_domains: blockedDomains }
        : {}),
    ...(location === undefined ? {} : { user_location: { type: 'approximate', ...location } }),
  };
}

function limitOf(most: number | undefined): { max_uses?: number } {
  return most === undefined ? {} : { max_uses: most };
}
