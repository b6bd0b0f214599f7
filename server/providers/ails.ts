// A gateway of the OpenAI shape.
import { marksOfClaude, openaiModelList, openaiPaths, openaiReasoning, thoughtsOfHosts } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const ails: Provider = {
  type: 9,
  name: 'AILS',
  baseUrl: 'https://api.caipacity.com',
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
  models: [],
};
