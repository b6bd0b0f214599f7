// https://platform.moonshot.cn/docs/api/chat
import models from './default-models.json' with { type: 'json' };
import { openaiModelList, openaiPaths } from './openai-shape.ts';
import { moonshotBalance } from '#server/upstream/balance-sources.ts';
import type { Provider } from './spec.ts';

export const moonshot: Provider = {
  type: 25,
  name: 'Moonshot',
  dialect: 'openai-chat',
  framing: 'sse',
  baseUrl: 'https://api.moonshot.cn',
  paths: openaiPaths,
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  quirks: { streamOptions: 'ask' },
  balance: moonshotBalance,
  models: models['25'],
};
