// 360 Zhinao. https://ai.360.com/platform/docs/overview
import models from './default-models.json' with { type: 'json' };
import { openaiModelsPath, openaiPaths } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const ai360: Provider = {
  type: 19,
  name: '360',
  dialect: 'openai',
  baseUrl: 'https://api.360.cn',
  paths: openaiPaths,
  auth: { kind: 'bearer' },
  modelsPath: openaiModelsPath,
  models: models['19'],
};
