// Applications built with FastGPT: the application decides the model, the key is `APIKey-AppId`. https://doc.fastgpt.io
import { openaiModelList, openaiPaths } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const fastGpt: Provider = {
  type: 22,
  name: 'FastGPT',
  baseUrl: 'https://fastgpt.run/api/openapi',
  formats: {
    'openai-chat': {
      framing: 'sse',
      paths: openaiPaths,
    },
  },
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  models: [],
};
