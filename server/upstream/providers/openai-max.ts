// A gateway of the OpenAI shape.
import { openaiModelList, openaiPaths, openaiReasoning } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const openaiMax: Provider = {
  type: 6,
  name: 'OpenAIMax',
  dialect: 'openai-chat',
  framing: 'sse',
  baseUrl: 'https://api.openaimax.com',
  paths: openaiPaths,
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  quirks: { streamOptions: 'pass', modelRules: [openaiReasoning] },
  models: [],
};
