// Reranking alone: its conversations are a format of their own. https://docs.cohere.com/reference/about
import models from './default-models.json' with { type: 'json' };
import type { Provider } from './spec.ts';

export const cohere: Provider = {
  type: 34,
  name: 'Cohere',
  baseUrl: 'https://api.cohere.ai',
  formats: {
    'openai-chat': {
      framing: 'sse',
      paths: { rerank: '{base}/v1/rerank' },
      rerank: 'cohere',
      billsSearches: true,
    },
  },
  auth: { kind: 'bearer' },
  models: models['34'],
};
