// A gateway of the OpenAI shape.
import { openaiModelList, openaiPaths, openaiReasoning } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const ails: Provider = {
  type: 9,
  name: 'AILS',
  dialect: 'openai-chat',
  framing: 'sse',
  baseUrl: 'https://api.caipacity.com',
  paths: openaiPaths,
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  quirks: { streamOptions: 'pass', modelRules: [openaiReasoning] },
  models: [],
};
