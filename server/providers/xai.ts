// https://docs.x.ai/docs/api-reference — `completion_tokens` excludes reasoning tokens. There is no search suffix:
// `search_parameters` is rejected with 410 since January 2026 (https://docs.x.ai/docs/guides/live-search).
import { effortSuffixes, openaiModelList, thoughtsBack } from './openai-shape.ts';
import type { ProviderRecord } from './spec.ts';

export const xai: ProviderRecord = {
  type: 48,
  name: 'Xai',
  baseUrl: 'https://api.x.ai',
  formats: {
    'openai-chat': {
      thoughts: thoughtsBack,
      paths: {
        chat: '{base}/v1/chat/completions',
        images: '{base}/v1/images/generations',
        image_edits: '{base}/v1/images/edits',
        // https://docs.x.ai/developers/model-capabilities/audio/speech-to-speech
        realtime: '{base}/v1/realtime?model={modelValue}',
      },
      // A text message costs $0.004, as three seconds at $0.08 a minute do. https://docs.x.ai/developers/models/speech-to-speech
      realtime: { secondsPerText: 3, transcribes: true },
      images: 'xai',
      streamOptions: 'ask',
      modelRules: [
        // Models without efforts reject the field. https://docs.x.ai/docs/guides/reasoning
        { isFor: ({ vendor }) => vendor === 'xai', fitsEffort: true },
        {
          isFor: ({ vendor, thinking }) => vendor === 'xai' && (thinking?.efforts?.length ?? 0) > 0,
          rename: { max_tokens: 'max_completion_tokens' },
          suffixes: effortSuffixes,
        },
      ],
      responses: { completionFromTotal: true },
    },
  },
  modelList: openaiModelList,
};
