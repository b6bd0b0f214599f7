// Fields of chat completion requests that no other format has. `docs/translation.md` is made from this table.
import type { OnlyField } from '../only-field.ts';

/** https://platform.openai.com/docs/api-reference/chat/create */
export const onlyFields: Readonly<Record<string, OnlyField>> = {
  n: { isEssential: true, neutral: [1], about: 'several responses', example: 2 },
  logprobs: { isEssential: true, neutral: [false], about: 'probabilities of tokens', example: true },
  top_logprobs: { isEssential: true, neutral: [0], about: 'probabilities of tokens', example: 3 },
  audio: { isEssential: true, about: 'spoken responses', example: { voice: 'alloy', format: 'wav' } },
  modalities: { isEssential: true, about: 'responses other than text', example: ['text', 'audio'] },
  web_search_options: { isEssential: true, about: 'a search by the provider', example: {} },
  'tools.0': {
    isEssential: false,
    about: 'tools that run at the provider, such as its web search, and are only offered',
    example: { type: 'web_search' },
    request: { tools: [{ type: 'web_search' }] },
  },
  tool_choice: {
    isEssential: true,
    about: 'of a tool that runs at the provider',
    example: 'required',
    request: { tools: [{ type: 'web_search' }], tool_choice: 'required' },
  },
  seed: { isEssential: false, about: 'repeatable sampling', example: 3 },
  frequency_penalty: { isEssential: false, neutral: [0], about: 'sampling', example: 0.5 },
  presence_penalty: { isEssential: false, neutral: [0], about: 'sampling', example: 0.5 },
  logit_bias: { isEssential: false, about: 'sampling', example: { 50256: -100 } },
  prediction: { isEssential: false, about: 'speed', example: { type: 'content', content: 'Hello' } },
  verbosity: { isEssential: false, about: 'length of the response', example: 'low' },
  store: { isEssential: false, neutral: [false], about: 'storage at the provider', example: true },
  metadata: { isEssential: false, about: 'storage at the provider', example: { run: '1' } },
  service_tier: { isEssential: false, neutral: ['auto', 'default'], about: "the provider's own tiers", example: 'flex' },
  safety_identifier: { isEssential: false, about: "the provider's checks for abuse", example: 'u1' },
  prompt_cache_key: { isEssential: false, about: "the provider's cache", example: 'k1' },
  prompt_cache_retention: { isEssential: false, about: "the provider's cache", example: '24h' },
};
