// A gateway of the OpenAI shape.
import { marksOfClaude, openaiModelList, openaiPaths, openaiReasoning, thoughtsOfHosts } from './openai-shape.ts';
import { creditGrants } from '#server/exchange/balance-sources.ts';
import type { Provider } from './spec.ts';

export const api2gpt: Provider = {
  type: 12,
  name: 'API2GPT',
  baseUrl: 'https://api.api2gpt.com',
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
  balance: creditGrants('total_remaining'),
  models: [],
};
