// Fields of chat completion requests, and fields of other formats that this one carries.
import type { CarriedFields, ClientFields } from '../request-fields.ts';

const userPart = (part: object) => ({ messages: [{ role: 'user', content: [part] }] });

/** https://platform.openai.com/docs/api-reference/chat/create */
export const clientFields: ClientFields = {
  choices: { name: 'n', neutral: [1], example: { n: 2 } },
  logprobs: { name: 'logprobs', neutral: [false], example: { logprobs: true } },
  top_logprobs: { name: 'top_logprobs', neutral: [0], example: { top_logprobs: 3 } },
  voice: { name: 'audio', example: { audio: { voice: 'alloy', format: 'wav' } } },
  modalities: { name: 'modalities', example: { modalities: ['text', 'image'] } },
  search: { name: 'web_search_options', example: { web_search_options: {} } },
  offered_provider_tools: { name: 'tools.0', example: { tools: [{ type: 'image_generation' }] } },
  forced_provider_tool: { name: 'tool_choice', example: { tools: [{ type: 'image_generation' }], tool_choice: 'required' } },
  forced_tool: {
    name: 'tool_choice',
    example: {
      tools: ['get', 'set'].map((name) => ({ type: 'function', function: { name, parameters: {} } })),
      tool_choice: 'required',
    },
  },
  seed: { name: 'seed', example: { seed: 3 } },
  frequency_penalty: { name: 'frequency_penalty', neutral: [0], example: { frequency_penalty: 0.5 } },
  presence_penalty: { name: 'presence_penalty', neutral: [0], example: { presence_penalty: 0.5 } },
  logit_bias: { name: 'logit_bias', example: { logit_bias: { 50256: -100 } } },
  prediction: { name: 'prediction', example: { prediction: { type: 'content', content: 'Hello' } } },
  verbosity: { name: 'verbosity', example: { verbosity: 'low' } },
  store: { name: 'store', neutral: [false], example: { store: true } },
  metadata: { name: 'metadata', example: { metadata: { run: '1' } } },
  service_tier: { name: 'service_tier', neutral: ['auto', 'default'], example: { service_tier: 'flex' } },
  user_id: { name: 'user', example: { user: 'u1' } },
  abuse_id: { name: 'safety_identifier', example: { safety_identifier: 'u1' } },
  cache_key: { name: 'prompt_cache_key', example: { prompt_cache_key: 'k1' } },
  cache_retention: { name: 'prompt_cache_retention', example: { prompt_cache_retention: '24h' } },
  single_calls: {
    name: 'parallel_tool_calls',
    neutral: [true],
    example: { tools: [{ type: 'function', function: { name: 'get', parameters: {} } }], parallel_tool_calls: false },
  },
  token_limit: { name: 'max_tokens', example: { max_tokens: 99 } },
  stop: { name: 'stop', example: { stop: ['END'] } },
  media: { name: 'messages.0.content', example: userPart({ type: 'file', file: { file_id: 'file-1' } }) },
  json_without_schema: { name: 'response_format', example: { response_format: { type: 'json_object' } } },
  effort: { name: 'reasoning_effort', example: { reasoning_effort: 'high' } },
  temperature: { name: 'temperature', example: { reasoning_effort: 'high', temperature: 0.2 } },
  unsigned_thoughts: {
    name: 'reasoning_content',
    example: {
      messages: [
        { role: 'assistant', content: 'Hi', reasoning_content: 'Hm' },
        { role: 'user', content: 'Hello' },
      ],
    },
  },
  foreign_thoughts: {
    name: 'reasoning_details',
    example: {
      messages: [
        {
          role: 'assistant',
          content: 'Hi',
          reasoning_details: [{ type: 'reasoning.encrypted', data: 'Cg==', format: 'google-gemini-v1' }],
        },
        { role: 'user', content: 'Hello' },
      ],
    },
  },
  image_detail: {
    name: 'image_url.detail',
    example: userPart({ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' } }),
  },
  names: { name: 'messages.name', example: { messages: [{ role: 'user', name: 'ann', content: 'Hello' }] } },
};

export const carriedFields: CarriedFields = {
  thoughts: { treatment: 'dropped', about: 'for providers that do not accept it' },
  unsigned_thoughts: { treatment: 'dropped', about: 'for providers that do not accept it' },
  foreign_thoughts: { treatment: 'dropped', about: "except for hosts of several vendors' models" },
  tool_errors: 'in_words',
  media: { treatment: 'refused', about: 'images and documents by id' },
  forced_tool: 'by_parts',
  token_limit: 'by_parts',
  stop: 'by_parts',
  single_calls: 'by_parts',
  user_id: 'by_parts',
  json_without_schema: 'by_parts',
  effort: { treatment: 'dropped', about: 'for models without thinking' },
  thinking_budget: { treatment: 'dropped', about: 'for models without thinking; for others, the budget is mapped to an effort' },
  temperature: 'by_parts',
  top_p: 'by_parts',
  image_detail: 'by_parts',
  names: 'by_parts',
  choices: (value) => ({ n: value }),
  logprobs: () => ({ logprobs: true }),
  top_logprobs: (value) => ({ logprobs: true, top_logprobs: value }),
  logit_bias: (value) => ({ logit_bias: value }),
  verbosity: (value) => ({ verbosity: value }),
  seed: (value) => ({ seed: value }),
  frequency_penalty: (value) => ({ frequency_penalty: value }),
  presence_penalty: (value) => ({ presence_penalty: value }),
  abuse_id: (value) => ({ safety_identifier: value }),
  cache_key: (value) => ({ prompt_cache_key: value }),
  cache_retention: (value) => ({ prompt_cache_retention: value }),
  cache_hints: {
    treatment: 'dropped',
    about: 'for providers without cache marks; OpenRouter, Alibaba and gateways with Claude models support them',
  },
};
