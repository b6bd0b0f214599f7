// Cohere: native chat and embeddings; reranking in a format that many providers share.
// https://docs.cohere.com/v2/reference/about
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
    cohere: {
      framing: 'sse',
      paths: { chat: '{base}/v2/chat', embeddings: '{base}/v2/embed' },
    },
  },
  auth: { kind: 'bearer' },
  modelList: { path: '{base}/v1/models?page_size=1000', items: 'models', name: 'name' },
  models: models['34'],
};
