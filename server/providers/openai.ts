// https://platform.openai.com/docs/api-reference
import {
  marksOfClaude,
  openaiModelList,
  openaiPaths,
  openaiReasoning,
  openaiRetention,
  openaiStops,
  responsesFormat,
  responsesModels,
  responsesReasoning,
  thoughtsOfHosts,
} from './openai-shape.ts';
import { openaiBalance } from '#server/exchange/balance-sources.ts';
import type { ProviderRecord } from './spec.ts';

export const openai: ProviderRecord = {
  type: 1,
  name: 'OpenAI',
  baseUrl: 'https://api.openai.com',
  formats: {
    'openai-chat': {
      thoughts: { ...thoughtsOfHosts, isAwayOnly: true },
      paths: { ...openaiPaths, realtime: '{base}/v1/realtime?model={modelValue}' },
      streamOptions: 'ask',
      modelRules: [openaiReasoning, openaiStops, openaiRetention],
      takesCacheKey: true,
      cacheMarks: marksOfClaude,
      takesAllowedTools: true,
      hosted: ['web_search'],
      speech: 'events',
    },
    'openai-responses': {
      ...responsesFormat['openai-responses'],
      modelRules: [responsesReasoning, openaiRetention],
      ...responsesModels,
      takesCacheKey: true,
      takesSealedThoughts: true,
      hosted: ['web_search', 'code_execution', 'file_search'],
    },
  },
  headers: { 'openai-organization': '{organization}' },
  hosts: ['files', 'vector_stores', 'fine_tuning'],
  videos: 'sora',
  runsBatches: 'openai',
  gatewayDrops: '/v1',
  modelList: openaiModelList,
  balance: openaiBalance,
};
