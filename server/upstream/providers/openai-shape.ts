// What providers of the OpenAI shape have in common.
import type { ModelRule } from '#server/dialects/provider-traits.ts';
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
  const conversational = ['gpt-', 'chatgpt-', 'o1', 'o3', 'o4', 'claude-', 'gemini-'];
  return [{ modelPrefix: 'gpt-3.5-turbo-instruct', path }, ...conversational.map((modelPrefix) => ({ modelPrefix, path: null })), { path }];
}

/** https://platform.openai.com/docs/api-reference/models/list */
export const openaiModelList: ModelList = { path: '{base}/v1/models', items: 'data', name: 'id' };

/** Claude's Messages at a provider that speaks OpenAI's format first. @param path what stands before `/v1/messages` */
export function claudeBeside(path: string): { claude: ProviderFormat } {
  return {
    claude: {
      framing: 'sse',
      paths: { chat: `{base}${path}/v1/messages` },
      auth: { kind: 'header', name: 'x-api-key' },
      headers: { 'anthropic-version': '2023-06-01' },
      isAtHomeOnly: true,
      attribution: 'drop',
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
  isBestFor: /^gpt-(?:5\.(?:[4-9]|\d\d)|[6-9]|\d\d)(?!.*-chat)/,
  // https://platform.openai.com/docs/models
  isSoleFor: /^(?:o[1-9]-pro|o\d(?:-mini)?-deep-research|gpt-5(?:\.\d+)?-(?:pro|codex)|codex-mini|computer-use-preview)/,
} as const satisfies Partial<ProviderFormat>;

/** Of a model before 5.6 `max` is a part of the name, as in `gpt-5.1-codex-max`. */
const takesMost = /^gpt-5\.[6-9]/;

export const effortSuffixes = ['minimal', 'none', 'low', 'medium', 'high', 'xhigh', 'max'].map((effort) => ({
  suffix: `-${effort}`,
  set: { reasoning_effort: effort },
  ...(effort === 'max' ? { of: takesMost } : {}),
}));

/**
 * Reasoning models refuse `max_tokens`, and while they think every field of sampling that is not at its default. https://platform.openai.com/docs/guides/reasoning
 * From gpt-5.1 on there is the effort `none`, but not for their kinds `codex` and `pro`; 5.1 and 5.2 have it unless told otherwise.
 * https://platform.openai.com/docs/guides/latest-model
 */
export const openaiReasoning: ModelRule = {
  prefixes: ['o1', 'o3', 'o4', 'gpt-5'],
  except: ['gpt-5-chat'],
  rename: { max_tokens: 'max_completion_tokens' },
  dropThinking: {
    fields: ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'],
    never: /-chat-latest$/,
    byChoice: /^gpt-5\.[1-9](?!.*-(?:codex|pro))/,
    byDefault: /^gpt-5\.[12](?!\d|.*-(?:codex|pro))/,
  },
  suffixes: effortSuffixes,
  developerRole: ['o1', 'o1-2024-12-17', 'o3*', 'o4*', 'gpt-5*'],
  longIdle: true,
};

const none = /(?!)/;

/**
 * Models that take no texts that end the response, however little they think.
 * https://platform.openai.com/docs/api-reference/chat/create#chat-create-stop https://github.com/huggingface/smolagents/issues/1671
 */
export const openaiStops: ModelRule = {
  prefixes: ['o3', 'o4', 'gpt-5'],
  except: ['o3-mini', 'gpt-5-chat'],
  dropThinking: { fields: ['stop'], never: /-chat-latest$/, byChoice: none, byDefault: none },
};

/** The same in Responses, where the limit has one name and a message's role is its own. */
export const responsesReasoning: ModelRule = {
  prefixes: openaiReasoning.prefixes,
  except: ['gpt-5-chat'],
  ...(openaiReasoning.dropThinking === undefined ? {} : { dropThinking: openaiReasoning.dropThinking }),
  suffixes: effortSuffixes.map(({ set, ...ending }) => ({ ...ending, set: { reasoning: { effort: set.reasoning_effort } } })),
  longIdle: true,
};
