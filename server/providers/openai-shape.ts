// Parts shared by OpenAI-compatible providers.
import type { CacheMarks, ModelRule, ModelSuffix, ThinkingWords, ThoughtsRule } from '#server/formats/provider-traits.ts';
import type { ModelFacts } from '#server/model-facts/model-facts.ts';
import { efforts } from '#server/model-facts/model-record.ts';
import type { ModelList, PathRule, ProviderFormat } from './spec.ts';

export const openaiPaths = {
  chat: '{base}/v1/chat/completions',
  completions: completionsAt('{base}/v1/completions'),
  embeddings: '{base}/v1/embeddings',
  images: '{base}/v1/images/generations',
  image_edits: '{base}/v1/images/edits',
  image_variations: '{base}/v1/images/variations',
  moderations: '{base}/v1/moderations',
  rerank: '{base}/v1/rerank',
  speech: '{base}/v1/audio/speech',
  transcriptions: '{base}/v1/audio/transcriptions',
  translations: '{base}/v1/audio/translations',
} as const;

/**
 * Completions path, except for chat-only models, which reject completions.
 * https://platform.openai.com/docs/api-reference/completions
 */
export function completionsAt(path: string): readonly PathRule[] {
  return [{ isFor: ({ isChat, vendor }) => isChat && ['openai', 'anthropic', 'google'].includes(vendor), path: null }, { path }];
}

/** https://platform.openai.com/docs/api-reference/models/list */
export const openaiModelList: ModelList = { path: '{base}/v1/models' };

/**
 * Claude's Messages at a provider whose first format is OpenAI's.
 * @param path prefix of `/v1/messages`
 * @param thoughts how earlier reasoning is sent back, as unsigned blocks
 */
export function claudeAt(path: string, thoughts: ThoughtsRule): { claude: ProviderFormat } {
  return {
    claude: {
      paths: { chat: `{base}${path}/v1/messages` },
      auth: { kind: 'header', name: 'x-api-key' },
      headers: { 'anthropic-version': '2023-06-01' },
      use: 'at_home',
      attribution: 'drop',
      thoughts,
    },
  };
}

/**
 * OpenAI's Responses, in addition to chat completions. Other servers mostly support only the latter.
 * https://platform.openai.com/docs/api-reference/responses
 */
export const responsesFormat = {
  'openai-responses': {
    paths: { chat: '{base}/v1/responses', count_tokens: '{base}/v1/responses/input_tokens' },
    use: 'at_home',
  },
} as const satisfies Record<string, ProviderFormat>;

/**
 * OpenAI's models that are called through Responses for callers of other formats, and those that only support
 * Responses.
 */
export const responsesModels = {
  // Chat completions reject functions of reasoning models: https://github.com/openai/openai-openapi/issues/541
  isBestFor: ({ isToolsByResponses }) => isToolsByResponses,
  // https://platform.openai.com/docs/models
  isSoleFor: ({ isResponsesOnly }) => isResponsesOnly,
} as const satisfies Partial<ProviderFormat>;

export const effortSuffixes: readonly ModelSuffix[] = efforts.map((effort) => ({
  suffix: `-${effort}`,
  set: { reasoning_effort: effort },
  // `max` is part of other models' names, as in `gpt-5.1-codex-max`.
  ...(effort === 'max' ? { ofTakers: effort } : {}),
}));

/** https://developers.openai.com/api/docs/guides/prompt-caching#prompt-cache-retention */
export const openaiRetention: ModelRule = { isFor: ({ vendor }) => vendor === 'openai', fitsRetention: true };

const isReasoning = ({ vendor, thinking }: ModelFacts) => vendor === 'openai' && thinking !== null;

/**
 * Reasoning models reject `max_tokens`, unsupported efforts, and, while reasoning, sampling fields with other than
 * default values.
 * https://platform.openai.com/docs/guides/reasoning
 * https://platform.openai.com/docs/guides/latest-model
 */
export const openaiReasoning: ModelRule = {
  isFor: isReasoning,
  rename: { max_tokens: 'max_completion_tokens' },
  sampling: ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'],
  fitsEffort: true,
  suffixes: effortSuffixes,
  developerRole: ({ thinking }) => thinking?.efforts?.length !== 0,
  longIdle: true,
};

/** Claude behind an OpenAI-compatible gateway. https://docs.litellm.ai/docs/completion/prompt_caching */
export const marksOfClaude: CacheMarks = { models: /claude/i, results: 'message', onTools: true, forAnHour: true };

/**
 * Models that reject stop sequences even at the lowest effort.
 * https://platform.openai.com/docs/api-reference/chat/create#chat-create-stop
 * https://github.com/huggingface/smolagents/issues/1671
 */
export const openaiStops: ModelRule = { isFor: (facts) => isReasoning(facts) && !facts.takesStop, drop: ['stop'] };

/** Same rules for Responses, where the limit's name and message roles need no change. */
export const responsesReasoning: ModelRule = {
  isFor: isReasoning,
  ...(openaiReasoning.sampling === undefined ? {} : { sampling: openaiReasoning.sampling }),
  fitsEffort: true,
  suffixes: efforts.map((effort) => ({
    suffix: `-${effort}`,
    set: { reasoning: { effort } },
    ...(effort === 'max' ? { ofTakers: effort } : {}),
  })),
  longIdle: true,
};

/**
 * Thinking switch of DeepSeek, Kimi, GLM and Doubao.
 * https://api-docs.deepseek.com/guides/thinking_mode
 * https://docs.z.ai/guides/capabilities/thinking-mode
 */
export const thinkingSwitch: ThinkingWords = { toggle: { field: 'thinking', on: 'enabled' } };

/**
 * Thinking switch of Qwen and compatible hosts, with a token budget.
 * https://help.aliyun.com/zh/model-studio/deep-thinking
 */
export const thinkingFlag: ThinkingWords = { toggle: { field: 'enable_thinking' }, budget: 'thinking_budget' };

/** Placeholder for reasoning where an empty text is rejected. */
const unthought = '.';

/**
 * While thinking, DeepSeek requires `reasoning_content` in every turn and accepts an empty one; Kimi requires a text.
 * https://api-docs.deepseek.com/guides/thinking_mode
 * https://github.com/charmbracelet/crush/issues/2696
 * https://github.com/openclaw/openclaw/issues/73417
 */
const thoughtsWanted: NonNullable<ThoughtsRule['placeholders']> = [
  { models: /deepseek/i, text: '' },
  { models: /kimi|moonshot/i, text: unthought },
];

/** Providers that accept `reasoning_content` in messages. */
export const thoughtsBack: ThoughtsRule = { fields: ['reasoning_content'], placeholders: thoughtsWanted };

/** DeepSeek, for all of its models. */
export const thoughtsOfDeepSeek: ThoughtsRule = { fields: ['reasoning_content'], placeholders: [{ models: /^/, text: '' }] };

/** Kimi, for all of its models. */
export const thoughtsOfKimi: ThoughtsRule = { fields: ['reasoning_content'], placeholders: [{ models: /^/, text: unthought }] };

/** Servers of unknown software, some of which reject unknown fields. */
export const thoughtsOfHosts: ThoughtsRule = { ...thoughtsBack, isDoubtful: true };

/** Models that need their reasoning sent back, hosted by vendors whose own models do not. */
export const thoughtsOfHosted: ThoughtsRule = {
  ...thoughtsBack,
  models: /deepseek|kimi|moonshot|glm-|minimax|qwen|mimo/i,
  isDoubtful: true,
};

/**
 * OpenRouter treats an empty `reasoning` as absent.
 * https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning
 */
export const thoughtsOfOpenRouter: ThoughtsRule = {
  fields: ['reasoning', 'reasoning_details'],
  placeholders: thoughtsWanted.map(({ models }) => ({ models, text: unthought })),
  takesSeals: true,
};

/** https://platform.minimax.io/docs/api-reference/text-openai-api */
export const thoughtsOfMiniMax: ThoughtsRule = { fields: ['reasoning_content', 'reasoning_details'] };

/**
 * Kimi's call ids identify the call (`functions.name:0`) and may be longer than OpenAI's; function names have at most
 * 64 letters. Longer ids come from other vendors' models.
 */
export const anyCallId = { most: 128 } as const;
