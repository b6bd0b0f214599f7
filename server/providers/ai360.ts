// 360 Zhinao. https://ai.360.com/platform/docs/overview
import models from './default-models.json' with { type: 'json' };
import { openaiModelList, openaiPaths } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const ai360: Provider = {
  type: 19,
  name: '360',
  baseUrl: 'https://api.360.cn',
  formats: {
    'openai-chat': {
      framing: 'sse',
      paths: openaiPaths,
    },
  },
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  models: models['19'],
};
