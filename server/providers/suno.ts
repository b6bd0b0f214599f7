// Suno APIs: music tasks only (`server/tasks/platforms/suno.ts`).
import models from './default-models.json' with { type: 'json' };
import type { Provider } from './spec.ts';

export const suno: Provider = {
  type: 36,
  name: 'Suno API',
  tasks: 'suno',
  baseUrl: null,
  formats: {},
  auth: { kind: 'bearer' },
  models: models['36'],
};
