// Fields of Messages requests that no other format has. `docs/translation.md` is made from this table.
import type { OnlyField } from '../only-field.ts';

/** https://platform.claude.com/docs/en/api/messages */
export const onlyFields: Readonly<Record<string, OnlyField>> = {
  container: { isEssential: true, about: 'files and skills at the provider', example: 'c1' },
  mcp_servers: {
    isEssential: true,
    about: 'tools that the provider calls',
    example: [{ type: 'url', url: 'https://example.com', name: 'a' }],
  },
  inference_geo: { isEssential: true, about: 'where the provider computes', example: 'eu' },
  context_management: { isEssential: false, about: 'shortening of the conversation by the provider', example: { edits: [] } },
  cache_control: { isEssential: false, about: "the provider's cache", example: { type: 'ephemeral' } },
  service_tier: { isEssential: false, neutral: ['auto'], about: "the provider's own tiers", example: 'standard_only' },
  speed: { isEssential: false, neutral: ['standard'], about: "the provider's own tiers", example: 'fast' },
  diagnostics: { isEssential: false, about: "the provider's reports", example: {} },
  user_profile_id: { isEssential: false, about: 'accounts at the provider', example: 'p1' },
  workspace_id: { isEssential: false, about: 'accounts at the provider', example: 'w1' },
  'tools.0.type': {
    isEssential: true,
    about: 'tools that run at the provider, such as its web search, and blocks with their results',
    example: 'web_search_20250305',
    request: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
  },
};
