// https://openrouter.ai/docs/api-reference/overview
import { openaiModelList, openaiPaths, thoughtsOfOpenRouter } from './openai-shape.ts';
import { openRouterBalance } from '#server/exchange/balance-sources.ts';
import type { ProviderRecord } from './spec.ts';

export const openRouter: ProviderRecord = {
  type: 20,
  name: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api',
  formats: {
    'openai-chat': {
      // https://openrouter.ai/docs/use-cases/reasoning-tokens
      thinking: { efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] },
      thoughts: thoughtsOfOpenRouter,
      // OpenAI's models accept 64 characters; Kimi's recognize their own ids.
      callIds: { most: 64 },
      paths: openaiPaths,
      streamOptions: 'ask',
      // https://openrouter.ai/docs/features/prompt-caching
      cacheMarks: { models: /./, results: 'text', onTools: true, forAnHour: true },
    },
  },
  // Identifies the calling application, for the provider's statistics.
  headers: { 'http-referer': '{site}', 'x-title': 'Tidegate' },
  modelList: openaiModelList,
  balance: openRouterBalance,
};
