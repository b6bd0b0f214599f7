// https://openrouter.ai/docs/api-reference/overview
import { openaiModelList, openaiPaths } from './openai-shape.ts';
import { openRouterBalance } from '#server/upstream/balance-sources.ts';
import type { Provider } from './spec.ts';

export const openRouter: Provider = {
  type: 20,
  name: 'OpenRouter',
  dialect: 'openai-chat',
  framing: 'sse',
  baseUrl: 'https://openrouter.ai/api',
  paths: openaiPaths,
  auth: { kind: 'bearer' },
  // Who calls, for the provider's statistics.
  headers: { 'http-referer': '{site}', 'x-title': 'Tidegate' },
  modelList: openaiModelList,
  quirks: { streamOptions: 'ask' },
  balance: openRouterBalance,
  models: [],
};
