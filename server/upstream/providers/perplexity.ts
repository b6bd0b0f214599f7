// https://docs.perplexity.ai/api-reference
import models from './default-models.json' with { type: 'json' };
import type { Provider } from './spec.ts';

export const perplexity: Provider = {
  type: 27,
  name: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  formats: {
    'openai-chat': {
      framing: 'sse',
      runsAlways: ['web_search'],
      paths: { chat: '{base}/chat/completions' },
      quirks: {
        streamOptions: 'ask',
        drop: ['stop'],
        dropFromMessages: ['name'],
        clamp: { top_p: { above: { at: 1, to: 0.99 } } },
      },
    },
  },
  auth: { kind: 'bearer' },
  models: models['27'],
};
