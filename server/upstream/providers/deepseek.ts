// https://api-docs.deepseek.com — cached tokens come as `prompt_cache_hit_tokens`.
import models from './default-models.json' with { type: 'json' };
import { openaiModelList } from './openai-shape.ts';
import { deepSeekBalance } from '#server/upstream/balance-sources.ts';
import type { Provider } from './spec.ts';

export const deepSeek: Provider = {
  type: 43,
  name: 'DeepSeek',
  dialect: 'openai-chat',
  framing: 'sse',
  baseUrl: 'https://api.deepseek.com',
  paths: { chat: '{base}/v1/chat/completions' },
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  quirks: { streamOptions: 'ask' },
  balance: deepSeekBalance,
  models: models['43'],
};
