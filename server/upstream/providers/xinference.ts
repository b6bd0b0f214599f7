// Models on one's own machines. https://inference.readthedocs.io
import models from './default-models.json' with { type: 'json' };
import { openaiModelList, openaiPaths } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const xinference: Provider = {
  type: 47,
  name: 'Xinference',
  dialect: 'openai-chat',
  framing: 'sse',
  baseUrl: null,
  paths: openaiPaths,
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  quirks: { streamOptions: 'pass' },
  models: models['47'],
};
