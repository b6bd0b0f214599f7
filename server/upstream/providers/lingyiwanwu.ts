// 01.AI. https://platform.lingyiwanwu.com/docs
import models from './default-models.json' with { type: 'json' };
import { openaiModelsPath, openaiPaths } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const lingYiWanWu: Provider = {
  type: 31,
  name: 'LingYiWanWu',
  dialect: 'openai',
  baseUrl: 'https://api.lingyiwanwu.com',
  paths: openaiPaths,
  auth: { kind: 'bearer' },
  modelsPath: openaiModelsPath,
  quirks: { streamOptions: 'ask' },
  models: models['31'],
};
