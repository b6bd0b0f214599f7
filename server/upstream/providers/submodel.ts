// https://submodel.ai/docs
import { openaiModelsPath } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const submodel: Provider = {
  type: 53,
  name: 'Submodel',
  dialect: 'openai',
  baseUrl: 'https://llm.submodel.ai',
  paths: { chat: '{base}/v1/chat/completions' },
  auth: { kind: 'bearer' },
  modelsPath: openaiModelsPath,
  quirks: { streamOptions: 'pass' },
  models: [],
};
