// Embeddings and reranking. Objects such as `{"image": …}` in `input` survive. https://jina.ai/embeddings
import models from './default-models.json' with { type: 'json' };
import type { Provider } from './spec.ts';

export const jina: Provider = {
  type: 38,
  name: 'Jina',
  baseUrl: 'https://api.jina.ai',
  formats: {
    'openai-chat': {
      framing: 'sse',
      paths: { embeddings: '{base}/v1/embeddings', rerank: '{base}/v1/rerank' },
    },
  },
  auth: { kind: 'bearer' },
  models: models['38'],
};
