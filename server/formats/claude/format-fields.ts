// Fields of Messages requests, and fields of other formats that this one carries.
import type { CarriedFields, PartialLoss, ClientFields } from '../request-fields.ts';
import { writeSeal } from '../seal.ts';
import { attributionMark } from './attribution.ts';

const userPart = (part: object) => ({ messages: [{ role: 'user', content: [part] }] });
/** No other vendor has an advisor. */
const advisor = { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-4-6' };

/** https://platform.claude.com/docs/en/api/messages */
export const clientFields: ClientFields = {
  container: { name: 'container', example: { container: 'c1' } },
  mcp_servers: { name: 'mcp_servers', example: { mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'a' }] } },
  region: { name: 'inference_geo', example: { inference_geo: 'eu' } },
  context_management: { name: 'context_management', example: { context_management: { edits: [{ type: 'clear_images' }] } } },
  automatic_cache: { name: 'cache_control', example: { cache_control: { type: 'ephemeral' } } },
  service_tier: { name: 'service_tier', neutral: ['auto'], example: { service_tier: 'standard_only' } },
  speed: { name: 'speed', neutral: ['standard'], example: { speed: 'fast' } },
  citations: {
    name: 'citations',
    example: userPart({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'A' }, citations: { enabled: true } }),
  },
  safeguards: { name: 'safeguards', example: { safeguards: [{ type: 'dangerous_tool_use', classifier_context: 'main' }] } },
  diagnostics: { name: 'diagnostics', isSetByEmpty: true, example: { diagnostics: {} } },
  user_profile: { name: 'user_profile_id', example: { user_profile_id: 'p1' } },
  workspace: { name: 'workspace_id', example: { workspace_id: 'w1' } },
  offered_provider_tools: { name: 'tools.0', example: { tools: [advisor] } },
  forced_provider_tool: { name: 'tool_choice', example: { tools: [advisor], tool_choice: { type: 'tool', name: 'advisor' } } },
  forced_tool: {
    name: 'tool_choice',
    example: { tools: ['get', 'set'].map((name) => ({ name, input_schema: { type: 'object' } })), tool_choice: { type: 'any' } },
  },
  taught_tools: { name: 'tools.0.type', example: { tools: [{ type: 'bash_20250124', name: 'bash' }] } },
  provider_tool_results: {
    name: 'server tool blocks',
    example: { messages: [{ role: 'assistant', content: [{ type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }] }] },
  },
  attribution: { name: 'system.0', example: { system: [{ type: 'text', text: `${attributionMark} cc_version=2.1.330.73a;` }] } },
  single_calls: {
    name: 'tool_choice.disable_parallel_tool_use',
    example: {
      tools: [{ name: 'get', input_schema: { type: 'object' } }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    },
  },
  media: {
    name: 'messages.0.content',
    example: userPart({ type: 'document', source: { type: 'file', file_id: 'file_1' } }),
  },
  token_limit: { name: 'max_tokens', example: { max_tokens: 99 } },
  stop: { name: 'stop_sequences', example: { stop_sequences: ['END'] } },
  user_id: { name: 'metadata.user_id', example: { metadata: { user_id: 'u1' } } },
  top_k: { name: 'top_k', example: { top_k: 5 } },
  thinking_budget: { name: 'thinking', example: { thinking: { type: 'enabled', budget_tokens: 2048 } } },
  effort: { name: 'output_config.effort', example: { output_config: { effort: 'high' } } },
  thoughts: {
    name: 'thinking blocks',
    example: {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: 's' },
            { type: 'text', text: 'Hi' },
          ],
        },
        { role: 'user', content: 'Hello' },
      ],
    },
  },
  foreign_thoughts: {
    name: 'thinking blocks',
    example: {
      messages: [
        { role: 'assistant', content: [{ type: 'redacted_thinking', data: writeSeal({ origin: 'gemini', data: 'Cg==' }, 'claude') }] },
        { role: 'user', content: 'Hello' },
      ],
    },
  },
  tool_errors: {
    name: 'is_error',
    example: userPart({ type: 'tool_result', tool_use_id: 't1', content: 'Not found', is_error: true }),
  },
  cache_hints: { name: 'cache_control', example: userPart({ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral' } }) },
};

const thinkingLoss: PartialLoss = {
  treatment: 'dropped',
  about: 'for models without thinking, with a forced tool, and if thinking of tool call turns is missing',
  model: 'claude-3-5-haiku-20241022',
};

export const carriedFields: CarriedFields = {
  search: 'by_parts',
  media: { treatment: 'refused', about: 'audio input, files by id, and files that are neither PDF nor text' },
  forced_tool: 'by_parts',
  token_limit: 'by_parts',
  stop: 'by_parts',
  json_without_schema: {
    treatment: 'dropped',
    about: '`json_object` only: JSON requires a schema, so the prompt must request it',
  },
  effort: thinkingLoss,
  thinking_budget: thinkingLoss,
  temperature: {
    treatment: 'dropped',
    about: 'while the model thinks, and always from Claude 4.7 on, like `top_p` and `top_k`; otherwise values above 1 become 1',
  },
  top_p: { treatment: 'dropped', about: 'like `temperature`, and together with it from Claude 4.1 on' },
  top_k: 'by_parts',
  thoughts: 'by_parts',
  single_calls: 'by_parts',
  user_id: 'by_parts',
  unsigned_thoughts: { treatment: 'dropped', about: 'thinking without a signature (in `reasoning_details`)' },
  tool_errors: 'by_parts',
  cache_hints: 'by_parts',
};
