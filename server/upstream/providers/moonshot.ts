// https://platform.moonshot.cn/docs/api/chat
import models from './default-models.json' with { type: 'json' };
import { openaiModelsPath, openaiPaths } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const moonshot: Provider = {
  type: 25,
  name: 'Moonshot',
  dialect: 'openai',
  baseUrl: 'https://api.moonshot.cn',
  paths: openaiPaths,
  auth: { kind: 'bearer' },
  modelsPath: openaiModelsPath,
  quirks: { streamOptions: 'ask' },
  models: models['25'],
};
