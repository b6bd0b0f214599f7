// Kling: videos only. https://app.klingai.com/global/dev/document-api
import type { Provider } from './spec.ts';

export const kling: Provider = {
  type: 50,
  name: 'Kling',
  videos: 'kling',
  baseUrl: 'https://api.klingai.com',
  formats: {},
  auth: { kind: 'kling' },
  models: ['kling-v1', 'kling-v1-6', 'kling-v2-master', 'kling-v2-1', 'kling-v2-1-master', 'kling-v2-5-turbo', 'kling-v2-6'],
};
