// Volcano Ark (Doubao and others); a model may be an endpoint id `ep-…` or a bot. https://www.volcengine.com/docs/82379
// Speech is a separate service with separate keys. https://www.volcengine.com/docs/6561/1598757
import { speechKeyIn } from '#server/exchange/auth/ark.ts';
import { anyCallId, thinkingSwitch, thoughtsBack } from './openai-shape.ts';
import type { ModelLocation, ProviderRecord } from './spec.ts';

const baseUrl = 'https://ark.cn-beijing.volces.com';

export const volcEngine: ProviderRecord = {
  type: 45,
  name: 'VolcEngine',
  baseUrl,
  formats: {
    'openai-chat': {
      thinking: thinkingSwitch,
      thoughts: thoughtsBack,
      callIds: anyCallId,
      paths: {
        chat: [{ modelPrefix: 'bot', path: '{base}/{ark}/bots/chat/completions' }, { path: '{base}/{ark}/chat/completions' }],
        embeddings: '{base}/{ark}/embeddings',
        images: '{base}/{ark}/images/generations',
        image_edits: '{base}/{ark}/images/generations',
        speech: '{base}/{spoken}/tts/unidirectional/sse',
      },
      images: 'ark',
      speech: 'volc',
      streamOptions: 'ask',
      modelRules: [{ prefixes: ['deepseek'], suffixes: [{ suffix: '-thinking', set: { thinking: { type: 'enabled' } } }] }],
    },
  },
  videos: 'ark',
  auth: { kind: 'ark' },
  // Kinds that a service lacks have no path there.
  locate({ key, model }): ModelLocation {
    if (speechKeyIn(key) === null) return { base: baseUrl, values: { ark: 'api/v3' }, model };
    return { base: 'https://openspeech.bytedance.com', values: { spoken: 'api/v3' }, model };
  },
};
