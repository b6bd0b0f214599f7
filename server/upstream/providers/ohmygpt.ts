// A gateway of the OpenAI shape. https://docs.ohmygpt.com
import { openaiModelList, openaiPaths, openaiReasoning } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const ohMyGpt: Provider = {
  type: 7,
  name: 'OhMyGPT',
  dialect: 'openai-chat',
  framing: 'sse',
  baseUrl: 'https://api.ohmygpt.com',
  paths: openaiPaths,
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  quirks: { streamOptions: 'pass', modelRules: [openaiReasoning] },
  models: [],
};
