// Vidu: videos only. https://platform.vidu.com/docs
import type { Provider } from './spec.ts';

export const vidu: Provider = {
  type: 52,
  name: 'Vidu',
  videos: 'vidu',
  baseUrl: 'https://api.vidu.cn',
  formats: {},
  auth: { kind: 'header', name: 'authorization', prefix: 'Token ' },
  models: ['viduq2-pro', 'viduq2-turbo', 'viduq2', 'viduq1', 'vidu2.0'],
};
