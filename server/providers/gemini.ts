// https://ai.google.dev/api
import type { ModelRule } from '#server/formats/provider-traits.ts';
import type { ProviderRecord } from './spec.ts';

/** https://ai.google.dev/gemini-api/docs/thinking */
export const geminiThinking: ModelRule = { isFor: ({ vendor, isChat }) => vendor === 'google' && isChat, hasThinkingEndings: true };

export const gemini: ProviderRecord = {
  type: 24,
  name: 'Google Gemini',
  baseUrl: 'https://generativelanguage.googleapis.com',
  formats: {
    gemini: {
      modelRules: [geminiThinking],
      hosted: ['web_search', 'code_execution', 'web_fetch'],
      countsRequests: true,
      paths: {
        chat: {
          whole: '{base}/{version}/{collection}{model}:generateContent',
          stream: '{base}/{version}/{collection}{model}:streamGenerateContent?alt=sse',
        },
        embeddings: {
          whole: '{base}/{version}/{collection}{model}:embedContent',
          batch: '{base}/{version}/{collection}{model}:batchEmbedContents',
        },
        count_tokens: '{base}/{version}/{collection}{model}:countTokens',
        speech: [{ modelPrefix: 'gemini', path: '{base}/{version}/{collection}{model}:generateContent' }, { path: null }],
        image_edits: [{ modelPrefix: 'gemini', path: '{base}/{version}/{collection}{model}:generateContent' }, { path: null }],
        images: [
          { modelPrefix: 'imagen', path: '{base}/{version}/{collection}{model}:predict' },
          { modelPrefix: 'gemini', path: '{base}/{version}/{collection}{model}:generateContent' },
          { path: null },
        ],
      },
      images: 'google',
      speech: 'google',
    },
  },
  videos: 'veo',
  runsBatches: 'gemini',
  storesCaches: 'gemini',
  account: {
    path: '/v1beta',
    endpoints: {
      '/v1beta/models/{model}:generateContent': 'batchGenerateContent',
      '/v1beta/models/{model}:embedContent': 'asyncBatchEmbedContent',
    },
  },
  auth: { kind: 'header', name: 'x-goog-api-key' },
  endingsSetting: 'gemini.thinking_adapter_enabled',
  defaultVersion: 'v1beta',
  versionSetting: 'gemini.version_settings',
  // An invalid key is reported as 400.
  refusals: {
    retried: [400],
    ofAccount: [403],
    // https://ai.google.dev/gemini-api/docs/troubleshooting
    accountWords: ['API key', 'location is not supported', 'billing', 'free tier is not available'],
  },
  modelList: { path: '{base}/v1beta/models?pageSize=1000', items: 'models', name: nameOf },
};

/** Name of a model that generates content. */
function nameOf({ name, supportedGenerationMethods: methods }: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(methods) && !methods.includes('generateContent')) return undefined;
  return typeof name === 'string' && name.startsWith('models/') ? name.slice('models/'.length) : name;
}
