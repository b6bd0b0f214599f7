// https://api-docs.deepseek.com — cached tokens are reported as `prompt_cache_hit_tokens`. Claude's format:
// https://api-docs.deepseek.com/guides/anthropic_api
import models from './default-models.json' with { type: 'json' };
import { claudeAt, openaiModelList, thinkingSwitch, thoughtsOfDeepSeek } from './openai-shape.ts';
import { deepSeekBalance } from '#server/exchange/balance-sources.ts';
import type { Provider } from './spec.ts';

export const deepSeek: Provider = {
  type: 43,
  name: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  formats: {
    'openai-chat': {
      framing: 'sse',
      thinking: thinkingSwitch,
      thoughts: thoughtsOfDeepSeek,
      paths: { chat: '{base}/v1/chat/completions', completions: '{base}/beta/completions' },
      quirks: { streamOptions: 'ask' },
    },
    ...claudeAt('/anthropic', thoughtsOfDeepSeek),
  },
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  balance: deepSeekBalance,
  models: models['43'],
};
