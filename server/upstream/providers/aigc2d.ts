// A gateway of the OpenAI shape.
import { openaiModelList, openaiPaths, openaiReasoning } from './openai-shape.ts';
import { creditGrants } from '#server/upstream/balance-sources.ts';
import type { Provider } from './spec.ts';

export const aigc2d: Provider = {
  type: 13,
  name: 'AIGC2D',
  dialect: 'openai-chat',
  framing: 'sse',
  baseUrl: 'https://api.aigc2d.com',
  paths: openaiPaths,
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  quirks: { streamOptions: 'pass', modelRules: [openaiReasoning] },
  balance: creditGrants('total_available'),
  models: [],
};
