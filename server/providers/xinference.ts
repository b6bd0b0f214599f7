// Self-hosted models. https://inference.readthedocs.io
import models from './default-models.json' with { type: 'json' };
import { anyCallId, openaiModelList, openaiPaths, thoughtsOfHosts } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const xinference: Provider = {
  type: 47,
  name: 'Xinference',
  baseUrl: null,
  formats: {
    'openai-chat': {
      framing: 'sse',
      thoughts: thoughtsOfHosts,
      callIds: anyCallId,
      paths: openaiPaths,
      quirks: { streamOptions: 'pass' },
      rerank: 'xinference',
    },
  },
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  models: models['47'],
};
