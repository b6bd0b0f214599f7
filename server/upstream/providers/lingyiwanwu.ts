// 01.AI. https://platform.lingyiwanwu.com/docs
import models from './default-models.json' with { type: 'json' };
import { openaiModelList, openaiPaths } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const lingYiWanWu: Provider = {
  type: 31,
  name: 'LingYiWanWu',
  dialect: 'openai-chat',
  framing: 'sse',
  baseUrl: 'https://api.lingyiwanwu.com',
  paths: openaiPaths,
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  quirks: { streamOptions: 'ask' },
  models: models['31'],
};
