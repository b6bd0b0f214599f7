// A gateway of the OpenAI shape.
import { marksOfClaude, openaiModelList, openaiPaths, openaiReasoning, thoughtsOfHosts } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const openaiMax: Provider = {
  type: 6,
  name: 'OpenAIMax',
  baseUrl: 'https://api.openaimax.com',
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
