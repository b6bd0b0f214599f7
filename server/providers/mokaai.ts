// Embeddings with the M3E models.
import models from './default-models.json' with { type: 'json' };
import type { Provider } from './spec.ts';

export const mokaAi: Provider = {
  type: 44,
  name: 'MokaAI',
  baseUrl: 'https://api.moka.ai',
  formats: {
    'openai-chat': {
      framing: 'sse',
      paths: { embeddings: '{base}/embeddings' },
    },
  },
  auth: { kind: 'bearer' },
  models: models['44'],
};
