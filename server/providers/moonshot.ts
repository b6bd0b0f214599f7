// https://platform.moonshot.cn/docs/api/chat
import models from './default-models.json' with { type: 'json' };
import { anyCallId, claudeAt, openaiModelList, openaiPaths, thinkingSwitch, thoughtsOfKimi } from './openai-shape.ts';
import { moonshotBalance } from '#server/exchange/balance-sources.ts';
import type { Provider } from './spec.ts';

export const moonshot: Provider = {
  type: 25,
  name: 'Moonshot',
  baseUrl: 'https://api.moonshot.cn',
  formats: {
    'openai-chat': {
      framing: 'sse',
      thinking: thinkingSwitch,
      thoughts: thoughtsOfKimi,
      callIds: anyCallId,
      paths: openaiPaths,
      quirks: { streamOptions: 'ask' },
      // https://platform.moonshot.ai/docs/guide/use-kimi-vision-model
      takesAddresses: [],
    },
    ...claudeAt('/anthropic', thoughtsOfKimi),
  },
  auth: { kind: 'bearer' },
  // https://platform.kimi.ai/docs/api/batch-create
  runsBatches: 'openai',
  account: { path: '/v1', endpoints: { '/v1/chat/completions': '/v1/chat/completions' } },
  modelList: openaiModelList,
  balance: moonshotBalance,
  models: models['25'],
};
