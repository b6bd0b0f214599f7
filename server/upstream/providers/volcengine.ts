// Volcano Ark (Doubao and others); a model may be an endpoint id `ep-…` or a bot. https://www.volcengine.com/docs/82379
import models from './default-models.json' with { type: 'json' };
import type { Provider } from './spec.ts';

export const volcEngine: Provider = {
  type: 45,
  name: 'VolcEngine',
  baseUrl: 'https://ark.cn-beijing.volces.com',
  formats: {
    'openai-chat': {
      framing: 'sse',
      paths: {
        chat: [{ modelPrefix: 'bot', path: '{base}/api/v3/bots/chat/completions' }, { path: '{base}/api/v3/chat/completions' }],
        embeddings: '{base}/api/v3/embeddings',
        images: '{base}/api/v3/images/generations',
        image_edits: '{base}/api/v3/images/generations',
      },
      images: 'ark',
      quirks: {
        streamOptions: 'ask',
        modelRules: [{ prefixes: ['deepseek'], suffixes: [{ suffix: '-thinking', set: { thinking: { type: 'enabled' } } }] }],
      },
    },
  },
  videos: 'ark',
  auth: { kind: 'bearer' },
  models: models['45'],
};
