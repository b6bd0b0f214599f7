// A gateway of the OpenAI shape.
import { openaiModelsPath, openaiPaths, openaiReasoning } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const openaiMax: Provider = {
  type: 6,
  name: 'OpenAIMax',
  dialect: 'openai',
  baseUrl: 'https://api.openaimax.com',
  paths: openaiPaths,
  auth: { kind: 'bearer' },
  modelsPath: openaiModelsPath,
  quirks: { streamOptions: 'pass', modelRules: [openaiReasoning] },
  models: [],
};
