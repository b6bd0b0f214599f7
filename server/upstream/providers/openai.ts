// https://platform.openai.com/docs/api-reference
import models from './default-models.json' with { type: 'json' };
import { openaiModelList, openaiPaths, openaiReasoning } from './openai-shape.ts';
import { openaiBalance } from '#server/upstream/balance-sources.ts';
import type { Provider } from './spec.ts';

export const openai: Provider = {
  type: 1,
  name: 'OpenAI',
  dialect: 'openai-chat',
  framing: 'sse',
  baseUrl: 'https://api.openai.com',
  paths: openaiPaths,
  auth: { kind: 'bearer' },
  sendsOrganization: true,
  gatewayDrops: '/v1',
  modelList: openaiModelList,
  quirks: { streamOptions: 'ask', modelRules: [openaiReasoning] },
  balance: openaiBalance,
  models: models['1'],
};
