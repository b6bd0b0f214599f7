// https://platform.claude.com/docs/en/api/overview
import { openaiModelList } from './openai-shape.ts';
import type { ProviderRecord } from './spec.ts';

export const anthropic: ProviderRecord = {
  type: 14,
  name: 'Anthropic Claude',
  baseUrl: 'https://api.anthropic.com',
  formats: {
    claude: {
      apiVersion: '2023-06-01',
      hosted: ['web_search', 'web_fetch', 'code_execution'],
      paths: { chat: '{base}/v1/messages', count_tokens: '{base}/v1/messages/count_tokens' },
    },
  },
  auth: { kind: 'header', name: 'x-api-key' },
  headers: { 'anthropic-version': '2023-06-01' },
  // An empty balance is reported as 400.
  refusals: {
    retried: [400],
    // https://platform.claude.com/docs/en/api/errors
    accountWords: [
      'credit balance is too low',
      'organization has been disabled',
      'usage limits',
      'not yet available for this subscription',
      'OAuth authentication',
    ],
  },
  runsBatches: 'claude',
  modelList: openaiModelList,
};
