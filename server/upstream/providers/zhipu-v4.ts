// Zhipu GLM, API version 4. https://docs.bigmodel.cn/api-reference
import models from './default-models.json' with { type: 'json' };
import type { Provider } from './spec.ts';

export const zhipuV4: Provider = {
  type: 26,
  name: 'Zhipu_v4',
  dialect: 'openai-chat',
  framing: 'sse',
  baseUrl: 'https://open.bigmodel.cn',
  paths: { chat: '{base}/api/paas/v4/chat/completions', embeddings: '{base}/api/paas/v4/embeddings' },
  auth: { kind: 'zhipu-jwt' },
  modelList: { path: '{base}/api/paas/v4/models', items: 'data', name: 'id' },
  quirks: {
    streamOptions: 'ask',
    drop: ['presence_penalty', 'frequency_penalty'],
    clamp: { top_p: { above: { at: 1, to: 0.99 } } },
    stopAsList: true,
    images: 'bare',
  },
  models: models['26'],
};
