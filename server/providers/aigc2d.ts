// A gateway of the OpenAI shape.
import { marksOfClaude, openaiModelList, openaiPaths, openaiReasoning, thoughtsOfHosts } from './openai-shape.ts';
import { creditGrants } from '#server/exchange/balance-sources.ts';
import type { Provider } from './spec.ts';

export const aigc2d: Provider = {
  type: 13,
  name: 'AIGC2D',
  baseUrl: 'https://api.aigc2d.com',
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
  balance: creditGrants('total_available'),
  models: [],
};
