// https://docs.perplexity.ai/docs/agent-api/openai-compatibility, https://docs.perplexity.ai/docs/agent-api/migrate-from-sonar/overview
import { editMessages, withinUnit } from './adapt.ts';
import { openaiModelList } from './openai-shape.ts';
import type { ProviderRecord } from './spec.ts';

export const perplexity: ProviderRecord = {
  type: 27,
  name: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  formats: {
    'perplexity-agent': {
      paths: { chat: '{base}/v1/responses' },
      hosted: ['web_search', 'web_fetch'],
    },
    // Retired on 27 September 2026; for proxies that still support it.
    'openai-chat': {
      use: 'by_choice',
      runsAlways: ['web_search'],
      paths: { chat: '{base}/chat/completions' },
      streamOptions: 'ask',
      drop: ['stop'],
      adapt(edit) {
        withinUnit(edit, 'top_p', { most: 0.99 });
        editMessages(edit, (message) => message.drop('name'));
      },
    },
  },
  // https://docs.perplexity.ai/docs/agent-api/models
  modelList: openaiModelList,
};
