// Workers AI; the channel's free field is the account id.
// https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility
import models from './default-models.json' with { type: 'json' };
import type { Provider } from './spec.ts';

export const cloudflare: Provider = {
  type: 39,
  name: 'Cloudflare',
  baseUrl: 'https://api.cloudflare.com',
  formats: {
    'openai-chat': {
      framing: 'sse',
      paths: {
        chat: '{base}/client/v4/accounts/{other}/ai/v1/chat/completions',
        embeddings: '{base}/client/v4/accounts/{other}/ai/v1/embeddings',
      },
      quirks: { streamOptions: 'ask' },
      responses: { ownModel: true },
    },
  },
  auth: { kind: 'bearer' },
  models: models['39'],
};
