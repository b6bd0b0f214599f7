// https://docs.perplexity.ai/docs/agent-api/openai-compatibility, https://docs.perplexity.ai/docs/agent-api/migrate-from-sonar/overview
import models from './default-models.json' with { type: 'json' };
import { openaiModelList } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const perplexity: Provider = {
  type: 27,
  name: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  formats: {
    'perplexity-agent': {
      framing: 'sse',
      paths: { chat: '{base}/v1/responses' },
      hosted: ['web_search', 'web_fetch'],
    },
    // Retired on 27 September 2026; for proxies that still support it.
    'openai-chat': {
      isByChoice: true,
      framing: 'sse',
      runsAlways: ['web_search'],
      paths: { chat: '{base}/chat/completions' },
      quirks: {
        streamOptions: 'ask',
        drop: ['stop'],
        dropFromMessages: ['name'],
        clamp: { top_p: { above: { at: 1, to: 0.99 } } },
      },
    },
  },
  auth: { kind: 'bearer' },
  // https://docs.perplexity.ai/docs/agent-api/models
  modelList: openaiModelList,
  models: models['27'],
};
