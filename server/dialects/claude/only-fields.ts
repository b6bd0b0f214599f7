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
  'tools.0': {
    isEssential: false,
    about: 'tools that run at the provider, such as its web search, and are only offered',
    example: { type: 'web_search_20250305', name: 'web_search' },
    request: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
  },
  tool_choice: {
    isEssential: true,
    about: 'of a tool that runs at the provider',
    example: { type: 'tool', name: 'web_search' },
    request: { tools: [{ type: 'web_search_20250305', name: 'web_search' }], tool_choice: { type: 'tool', name: 'web_search' } },
  },
  'tools.0.type': {
    isEssential: true,
    about: "other tools of the provider's own, such as its shell",
    example: 'bash_20250124',
    request: { tools: [{ type: 'bash_20250124', name: 'bash' }] },
  },
  'messages.0.content.0.type': {
    isEssential: true,
    about: 'what tools that run at the provider were asked and answered',
    example: 'server_tool_use',
    request: { messages: [{ role: 'assistant', content: [{ type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }] }] },
  },
};
