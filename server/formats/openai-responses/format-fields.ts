// Fields of Responses requests, and fields of other formats that this one carries.
import type { CarriedFields, ClientFields } from '../request-fields.ts';
import { writeSeal } from '../seal.ts';

const question = { role: 'user', content: 'Hello' };
const userPart = (part: object) => ({ input: [{ role: 'user', content: [part] }] });
const thought = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }] };
/** Image generation as a tool, which no other vendor has. */
const drawing = { type: 'image_generation' };

/** https://platform.openai.com/docs/api-reference/responses/create */
export const clientFields: ClientFields = {
  top_logprobs: { name: 'top_logprobs', neutral: [0], example: { top_logprobs: 3 } },
  logprobs: { name: 'include', example: { include: ['message.output_text.logprobs'] } },
  provider_outputs: { name: 'include', example: { include: ['web_search_call.action.sources'] } },
  verbosity: { name: 'text.verbosity', neutral: ['medium'], example: { text: { verbosity: 'low' } } },
  phase: { name: 'phase', example: { input: [{ role: 'assistant', content: 'Hi', phase: 'commentary' }, question] } },
  offered_provider_tools: { name: 'tools.0', example: { tools: [drawing] } },
  forced_provider_tool: { name: 'tool_choice', example: { tools: [drawing], tool_choice: { type: 'image_generation' } } },
  forced_tool: {
    name: 'tool_choice',
    example: { tools: ['get', 'set'].map((name) => ({ type: 'function', name, parameters: {} })), tool_choice: 'required' },
  },
  single_calls: {
    name: 'parallel_tool_calls',
    neutral: [true],
    example: { tools: [{ type: 'function', name: 'get', parameters: {} }], parallel_tool_calls: false },
  },
  taught_tools: { name: 'tools.0.type', example: { tools: [{ type: 'local_shell' }] } },
  mcp_servers: { name: 'tools.0.type', example: { tools: [{ type: 'mcp', server_label: 'a', server_url: 'https://example.com' }] } },
  provider_tool_results: {
    name: 'hosted tool items',
    example: { input: [{ type: 'web_search_call', id: 'ws_1', status: 'completed' }, question] },
  },
  token_limit: { name: 'max_output_tokens', example: { max_output_tokens: 99 } },
  provider_tool_limit: { name: 'max_tool_calls', example: { max_tool_calls: 3 } },
  compacted: { name: 'input.0.type', example: { input: [{ type: 'compaction', encrypted_content: 'Cg==' }, question] } },
  context_management: { name: 'context_management', example: { context_management: [{ type: 'compaction' }] } },
  truncation: { name: 'truncation', neutral: ['disabled'], example: { truncation: 'auto' } },
  image_compression: { name: 'image', example: { image: { context_compression: 'auto' } } },
  service_tier: { name: 'service_tier', neutral: ['auto', 'default'], example: { service_tier: 'flex' } },
  // Stored responses contain the metadata.
  metadata: { name: 'metadata', isDoneHere: true, example: { metadata: { run: '1' } } },
  client_metadata: { name: 'client_metadata', example: { client_metadata: { session_id: 's1' } } },
  abuse_id: { name: 'safety_identifier', example: { safety_identifier: 'u1' } },
  moderation: { name: 'moderation', example: { moderation: { model: 'omni-moderation-latest' } } },
  access_programs: { name: 'access_programs', example: { access_programs: { cyber: 'standard' } } },
  cache_key: { name: 'prompt_cache_key', example: { prompt_cache_key: 'k1' } },
  cache_options: { name: 'prompt_cache_options', example: { prompt_cache_options: { mode: 'explicit' } } },
  cache_retention: { name: 'prompt_cache_retention', example: { prompt_cache_retention: '24h' } },
  cache_hints: {
    name: 'prompt_cache_breakpoint',
    example: userPart({ type: 'input_text', text: 'Hello', prompt_cache_breakpoint: { mode: 'explicit' } }),
  },
  media: { name: 'input.0.content', example: userPart({ type: 'input_file', file_id: 'file-1' }) },
  image_detail: {
    name: 'input_image.detail',
    example: userPart({ type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' }),
  },
  json_without_schema: { name: 'text.format', example: { text: { format: { type: 'json_object' } } } },
  effort: { name: 'reasoning.effort', example: { reasoning: { effort: 'high' } } },
  temperature: { name: 'temperature', example: { reasoning: { effort: 'high' }, temperature: 0.2 } },
  thoughts: {
    name: 'reasoning items',
    example: { input: [{ ...thought, encrypted_content: writeSeal({ origin: 'claude', data: 'Cg==' }, 'openai') }, question] },
  },
  unsigned_thoughts: { name: 'reasoning items', example: { input: [thought, question] } },
  foreign_thoughts: {
    name: 'reasoning items',
    example: { input: [{ ...thought, encrypted_content: writeSeal({ origin: 'gemini', data: 'Cg==' }, 'openai') }, question] },
  },
};

const includedLogprobs = 'message.output_text.logprobs';

export const carriedFields: CarriedFields = {
  tool_errors: 'in_words',
  forced_tool: 'by_parts',
  search: 'by_parts',
  media: { treatment: 'refused', about: 'audio input, and images and files by id' },
  stop: { treatment: 'refused', about: 'except for thinking models, which support none in any format: dropped' },
  single_calls: 'by_parts',
  user_id: 'by_parts',
  json_without_schema: 'by_parts',
  effort: { treatment: 'dropped', about: 'for models without thinking' },
  thinking_budget: { treatment: 'dropped', about: 'for models without thinking; for others, the budget is mapped to an effort' },
  token_limit: 'by_parts',
  temperature: 'by_parts',
  top_p: 'by_parts',
  unsigned_thoughts: { treatment: 'dropped', about: 'thinking without `encrypted_content`, for OpenAI and its models' },
  foreign_thoughts: { treatment: 'dropped', about: "thinking of other vendors' models" },
  image_detail: 'by_parts',
  logprobs: () => ({ include: [includedLogprobs] }),
  top_logprobs: (value) => ({ include: [includedLogprobs], top_logprobs: value }),
  verbosity: (value) => ({ text: { verbosity: value } }),
  metadata: (value) => ({ metadata: value }),
  client_metadata: (value) => ({ client_metadata: value }),
  provider_tool_limit: (value) => ({ max_tool_calls: value }),
  truncation: (value) => ({ truncation: value }),
  abuse_id: (value) => ({ safety_identifier: value }),
  cache_key: (value) => ({ prompt_cache_key: value }),
  cache_options: (value) => ({ prompt_cache_options: value }),
  cache_retention: (value) => ({ prompt_cache_retention: value }),
};
