// A gateway of the OpenAI shape.
import { openaiModelsPath, openaiPaths, openaiReasoning } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const aiProxy: Provider = {
  type: 10,
  name: 'AIProxy',
  dialect: 'openai',
  baseUrl: 'https://api.aiproxy.io',
  paths: openaiPaths,
  auth: { kind: 'bearer' },
  modelsPath: openaiModelsPath,
  quirks: { streamOptions: 'pass', modelRules: [openaiReasoning] },
  models: [],
};
