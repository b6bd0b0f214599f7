// https://docs.perplexity.ai/api-reference
import models from './default-models.json' with { type: 'json' };
import type { Provider } from './spec.ts';

export const perplexity: Provider = {
  type: 27,
  name: 'Perplexity',
  dialect: 'openai-chat',
  framing: 'sse',
  baseUrl: 'https://api.perplexity.ai',
  paths: { chat: '{base}/chat/completions' },
  auth: { kind: 'bearer' },
  quirks: {
    streamOptions: 'ask',
    drop: ['stop'],
    dropFromMessages: ['name'],
    clamp: { top_p: { above: { at: 1, to: 0.99 } } },
  },
  models: models['27'],
};
