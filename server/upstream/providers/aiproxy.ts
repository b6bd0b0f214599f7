// A gateway of the OpenAI shape.
import { openaiModelList, openaiPaths, openaiReasoning } from './openai-shape.ts';
import { aiProxyBalance } from '#server/upstream/balance-sources.ts';
import type { Provider } from './spec.ts';

export const aiProxy: Provider = {
  type: 10,
  name: 'AIProxy',
  dialect: 'openai-chat',
  framing: 'sse',
  baseUrl: 'https://api.aiproxy.io',
  paths: openaiPaths,
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  quirks: { streamOptions: 'pass', modelRules: [openaiReasoning] },
  balance: aiProxyBalance,
  models: [],
};
