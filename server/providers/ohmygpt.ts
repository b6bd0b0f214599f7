// A gateway of the OpenAI shape. https://docs.ohmygpt.com
import { marksOfClaude, openaiModelList, openaiPaths, openaiReasoning, thoughtsOfHosts } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const ohMyGpt: Provider = {
  type: 7,
  name: 'OhMyGPT',
  baseUrl: 'https://api.ohmygpt.com',
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
