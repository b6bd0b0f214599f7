// A gateway of the OpenAI shape.
import { openaiModelsPath, openaiPaths, openaiReasoning } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const ails: Provider = {
  type: 9,
  name: 'AILS',
  dialect: 'openai',
  baseUrl: 'https://api.caipacity.com',
  paths: openaiPaths,
  auth: { kind: 'bearer' },
  modelsPath: openaiModelsPath,
  quirks: { streamOptions: 'pass', modelRules: [openaiReasoning] },
  models: [],
};
