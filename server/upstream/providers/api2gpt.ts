// A gateway of the OpenAI shape.
import { openaiModelList, openaiPaths, openaiReasoning } from './openai-shape.ts';
import { creditGrants } from '#server/upstream/balance-sources.ts';
import type { Provider } from './spec.ts';

export const api2gpt: Provider = {
  type: 12,
  name: 'API2GPT',
  dialect: 'openai-chat',
  framing: 'sse',
  baseUrl: 'https://api.api2gpt.com',
  paths: openaiPaths,
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  quirks: { streamOptions: 'pass', modelRules: [openaiReasoning] },
  balance: creditGrants('total_remaining'),
  models: [],
};
