// 01.AI. https://platform.lingyiwanwu.com/docs
import models from './default-models.json' with { type: 'json' };
import { openaiModelList, openaiPaths } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const lingYiWanWu: Provider = {
  type: 31,
  name: 'LingYiWanWu',
  baseUrl: 'https://api.lingyiwanwu.com',
  formats: {
    'openai-chat': {
      framing: 'sse',
      paths: openaiPaths,
      quirks: { streamOptions: 'ask' },
    },
  },
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  models: models['31'],
};
