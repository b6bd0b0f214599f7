// Cohere: native chat and embeddings; reranking in a format that many providers share.
// https://docs.cohere.com/v2/reference/about
import type { ProviderRecord } from './spec.ts';

export const cohere: ProviderRecord = {
  type: 34,
  name: 'Cohere',
  baseUrl: 'https://api.cohere.ai',
  formats: {
    'openai-chat': {
      paths: { rerank: '{base}/v1/rerank' },
      rerank: 'cohere',
      billsSearches: true,
    },
    cohere: {
      paths: { chat: '{base}/v2/chat', embeddings: '{base}/v2/embed' },
    },
  },
  modelList: { path: '{base}/v1/models?page_size=1000', items: 'models', name: 'name' },
};
