// Models on one's own machines. https://inference.readthedocs.io
import models from './default-models.json' with { type: 'json' };
import { openaiModelsPath, openaiPaths } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const xinference: Provider = {
  type: 47,
  name: 'Xinference',
  dialect: 'openai',
  baseUrl: null,
  paths: openaiPaths,
  auth: { kind: 'bearer' },
  modelsPath: openaiModelsPath,
  quirks: { streamOptions: 'pass' },
  models: models['47'],
};
