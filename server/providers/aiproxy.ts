// A gateway of the OpenAI shape.
import { marksOfClaude, openaiModelList, openaiPaths, openaiReasoning, thoughtsOfHosts } from './openai-shape.ts';
import { aiProxyBalance } from '#server/exchange/balance-sources.ts';
import type { Provider } from './spec.ts';

export const aiProxy: Provider = {
  type: 10,
  name: 'AIProxy',
  baseUrl: 'https://api.aiproxy.io',
  formats: {
    'openai-chat': {
      framing: 'sse',
      thoughts: thoughtsOfHosts,
      paths: openaiPaths,
      quirks: { streamOptions: 'pass', modelRules: [openaiReasoning] },
      cacheMarks: marksOfClaude,
    },
  },
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  balance: aiProxyBalance,
  models: [],
};
