// OpenAI's videos, and compatible servers. OpenAI announced the end of its own for September 24, 2026.
// https://platform.openai.com/docs/api-reference/videos
import type { Provider } from './spec.ts';

export const sora: Provider = {
  type: 55,
  name: 'Sora',
  videos: 'sora',
  baseUrl: 'https://api.openai.com',
  formats: {},
  auth: { kind: 'bearer' },
  sendsOrganization: true,
  gatewayDrops: '/v1',
  models: ['sora-2', 'sora-2-pro'],
};
