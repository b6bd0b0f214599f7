// https://platform.moonshot.cn/docs/api/chat
import { anyCallId, claudeAt, openaiModelList, openaiPaths, thinkingSwitch, thoughtsOfKimi } from './openai-shape.ts';
import { moonshotBalance } from '#server/exchange/balance-sources.ts';
import type { ProviderRecord } from './spec.ts';

export const moonshot: ProviderRecord = {
  type: 25,
  name: 'Moonshot',
  baseUrl: 'https://api.moonshot.cn',
  formats: {
    'openai-chat': {
      thinking: thinkingSwitch,
      thoughts: thoughtsOfKimi,
      callIds: anyCallId,
      paths: openaiPaths,
      streamOptions: 'ask',
      // https://platform.moonshot.ai/docs/guide/use-kimi-vision-model
      takesAddresses: [],
    },
    ...claudeAt('/anthropic', thoughtsOfKimi),
  },
  // https://platform.kimi.ai/docs/api/batch-create
  runsBatches: 'openai',
  account: { path: '/v1', endpoints: { '/v1/chat/completions': '/v1/chat/completions' } },
  modelList: openaiModelList,
  balance: moonshotBalance,
};
