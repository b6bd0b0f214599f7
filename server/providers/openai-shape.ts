// What providers of the OpenAI shape have in common.
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
 * Completions but for models that are made for conversations alone, which refuse them there.
 * https://platform.openai.com/docs/api-reference/completions
 */
export function completionsAt(path: string): readonly PathRule[] {
  return [{ isFor: ({ isChat, vendor }) => isChat && ['openai', 'anthropic', 'google'].includes(vendor), path: null }, { path }];
}

/** https://platform.openai.com/docs/api-reference/models/list */
export const openaiModelList: ModelList = { path: '{base}/v1/models', items: 'data', name: 'id' };

/**
 * Claude's Messages at a provider that speaks OpenAI's format first.
 * @param path what stands before `/v1/messages`
 * @param thoughts how it takes thoughts of earlier turns back, as blocks that nobody has signed
 */
export function claudeBeside(path: string, thoughts: ThoughtsRule): { claude: ProviderFormat } {
  return {
    claude: {
      framing: 'sse',
      paths: { chat: `{base}${path}/v1/messages` },
      auth: { kind: 'header', name: 'x-api-key' },
      headers: { 'anthropic-version': '2023-06-01' },
      isAtHomeOnly: true,
      attribution: 'drop',
      thoughts,
    },
  };
}

/**
 * OpenAI's Responses beside its chat completions. Behind an address of somebody else there is mostly something that knows the latter
 * alone. https://platform.openai.com/docs/api-reference/responses
 */
export const responsesBeside = {
  'openai-responses': {
    framing: 'sse',
    paths: { chat: '{base}/v1/responses', count_tokens: '{base}/v1/responses/input_tokens' },
    isAtHomeOnly: true,
  },
} as const satisfies Record<string, ProviderFormat>;

/** Of OpenAI's own models: those that callers of other formats are asked for in Responses, and those that have nothing else. */
export const responsesModels = {
  // Chat completions refuse functions from models that think: https://github.com/openai/openai-openapi/issues/541
  isBestFor: ({ isToolsByResponses }) => isToolsByResponses,
  // https://platform.openai.com/docs/models
  isSoleFor: ({ isResponsesOnly }) => isResponsesOnly,
} as const satisfies Partial<ProviderFormat>;

export const effortSuffixes: readonly ModelSuffix[] = efforts.map((effort) => ({
  suffix: `-${effort}`,
  set: { reasoning_effort: effort },
  // Of others it is a part of the name, as in `gpt-5.1-codex-max`.
  ...(effort === 'max' ? { ofTakers: effort } : {}),
}));

/** https://developers.openai.com/api/docs/guides/prompt-caching#prompt-cache-retention */
export const openaiRetention: ModelRule = { isFor: ({ vendor }) => vendor === 'openai', fitsRetention: true };

const isReasoning = ({ vendor, thinking }: ModelFacts) => vendor === 'openai' && thinking !== null;

/**
 * Reasoning models refuse `max_tokens`, efforts that are not theirs, and while they think every field of sampling that is not at its default.
 * https://platform.openai.com/docs/guides/reasoning https://platform.openai.com/docs/guides/latest-model
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

/** Claude behind a gateway that speaks this format: a model that nobody else in it has. https://docs.litellm.ai/docs/completion/prompt_caching */
export const marksOfClaude: CacheMarks = { models: /claude/i, results: 'message', onTools: true, forAnHour: true };

/**
 * Models that take no texts that end the response, however little they think.
 * https://platform.openai.com/docs/api-reference/chat/create#chat-create-stop https://github.com/huggingface/smolagents/issues/1671
 */
export const openaiStops: ModelRule = { isFor: (facts) => isReasoning(facts) && !facts.takesStop, drop: ['stop'] };

/** The same in Responses, where the limit has one name and a message's role is its own. */
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

/** Switch of DeepSeek, Kimi, GLM and Doubao. https://api-docs.deepseek.com/guides/thinking_mode https://docs.z.ai/guides/capabilities/thinking-mode */
export const thinkingSwitch: ThinkingWords = { toggle: { field: 'thinking', on: 'enabled' } };

/** Switch of Qwen and of hosts that follow it, with a number of tokens. https://help.aliyun.com/zh/model-studio/deep-thinking */
export const thinkingFlag: ThinkingWords = { toggle: { field: 'enable_thinking' }, budget: 'thinking_budget' };

/** Stands for thoughts where nothing may not stand. */
const unthought = '.';

/**
 * DeepSeek refuses every turn without `reasoning_content` while it thinks and takes an empty one, Kimi wants one that is not empty.
 * https://api-docs.deepseek.com/guides/thinking_mode https://github.com/charmbracelet/crush/issues/2696 https://github.com/openclaw/openclaw/issues/73417
 */
const thoughtsWanted: NonNullable<ThoughtsRule['placeholders']> = [
  { models: /deepseek/i, text: '' },
  { models: /kimi|moonshot/i, text: unthought },
];

/** Of providers that know `reasoning_content` in messages. */
export const thoughtsBack: ThoughtsRule = { fields: ['reasoning_content'], placeholders: thoughtsWanted };

/** Of DeepSeek, whatever its models are called. */
export const thoughtsOfDeepSeek: ThoughtsRule = { fields: ['reasoning_content'], placeholders: [{ models: /^/, text: '' }] };

/** Of Kimi, whatever its models are called. */
export const thoughtsOfKimi: ThoughtsRule = { fields: ['reasoning_content'], placeholders: [{ models: /^/, text: unthought }] };

/** Behind addresses where anything may speak the format: some refuse what they do not know. */
export const thoughtsOfHosts: ThoughtsRule = { ...thoughtsBack, isDoubtful: true };

/** The models that are known to want their thoughts back, at vendors whose own models have none. */
export const thoughtsOfHosted: ThoughtsRule = {
  ...thoughtsBack,
  models: /deepseek|kimi|moonshot|glm-|minimax|qwen|mimo/i,
  isDoubtful: true,
};

/**
 * https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning — an empty `reasoning` counts as none.
 */
export const thoughtsOfOpenRouter: ThoughtsRule = {
  fields: ['reasoning', 'reasoning_details'],
  placeholders: thoughtsWanted.map(({ models }) => ({ models, text: unthought })),
  takesSeals: true,
};

/** https://platform.minimax.io/docs/api-reference/text-openai-api */
export const thoughtsOfMiniMax: ThoughtsRule = { fields: ['reasoning_content', 'reasoning_details'] };

/**
 * Kimi's ids of calls say which call it is (`functions.name:0`), and may be longer than OpenAI's: names have 64 letters at the most. Longer
 * ids come from other vendors' models.
 */
export const anyCallId = { most: 128 } as const;
