// Any OpenAI-compatible endpoint: the channel's base URL is the whole URL, with `{model}` filled in.
import { marksOfClaude, openaiReasoning, openaiRetention, thoughtsOfHosts } from './openai-shape.ts';
import { customBalance } from '#server/exchange/balance-sources.ts';
import type { ProviderRecord } from './spec.ts';

export const custom: ProviderRecord = {
  type: 8,
  name: 'Custom',
  baseUrl: null,
  formats: {
    'openai-chat': {
      thoughts: thoughtsOfHosts,
      paths: {
        chat: '{base}',
        embeddings: '{base}',
        images: '{base}',
        moderations: '{base}',
        rerank: '{base}',
        speech: '{base}',
        transcriptions: '{base}',
        translations: '{base}',
      },
      streamOptions: 'pass',
      modelRules: [openaiReasoning, openaiRetention],
      cacheMarks: marksOfClaude,
    },
  },
  balance: customBalance,
};
