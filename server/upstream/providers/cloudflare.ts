// Workers AI; the channel's free field is the account id.
// https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility
import models from './default-models.json' with { type: 'json' };
import type { Provider } from './spec.ts';

export const cloudflare: Provider = {
  type: 39,
  name: 'Cloudflare',
  dialect: 'openai-chat',
  framing: 'sse',
  baseUrl: 'https://api.cloudflare.com',
  paths: {
    chat: '{base}/client/v4/accounts/{other}/ai/v1/chat/completions',
    embeddings: '{base}/client/v4/accounts/{other}/ai/v1/embeddings',
  },
  auth: { kind: 'bearer' },
  quirks: { streamOptions: 'ask' },
  responses: { ownModel: true },
  models: models['39'],
};
