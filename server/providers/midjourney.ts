// Midjourney proxies: drawing tasks only (`server/tasks/platforms/midjourney.ts`).
import models from './default-models.json' with { type: 'json' };
import type { Provider } from './spec.ts';

const proxy = {
  tasks: 'midjourney',
  baseUrl: null,
  formats: {},
  auth: { kind: 'header', name: 'mj-api-secret' },
} as const;

export const midjourneyProxy: Provider = { ...proxy, type: 2, name: 'Midjourney Proxy', models: models['2'] };
export const midjourneyProxyPlus: Provider = { ...proxy, type: 5, name: 'Midjourney Proxy Plus', models: models['5'] };
