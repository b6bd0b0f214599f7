// https://api-docs.deepseek.com — cached tokens are reported as `prompt_cache_hit_tokens`. Claude's format:
// https://api-docs.deepseek.com/guides/anthropic_api
import { claudeAt, openaiModelList, thinkingSwitch, thoughtsOfDeepSeek } from './openai-shape.ts';
import { deepSeekBalance } from '#server/exchange/balance-sources.ts';
import type { ProviderRecord } from './spec.ts';

export const deepSeek: ProviderRecord = {
  type: 43,
  name: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  formats: {
    'openai-chat': {
      thinking: thinkingSwitch,
      thoughts: thoughtsOfDeepSeek,
      paths: { chat: '{base}/v1/chat/completions', completions: '{base}/beta/completions' },
      streamOptions: 'ask',
    },
    ...claudeAt('/anthropic', thoughtsOfDeepSeek),
  },
  modelList: openaiModelList,
  balance: deepSeekBalance,
};
