// Videos of Volcano Ark, nothing else; `volcengine.ts` makes them, too. https://www.volcengine.com/docs/82379/1520757
import type { Provider } from './spec.ts';

export const doubaoVideo: Provider = {
  type: 54,
  name: 'DoubaoVideo',
  videos: 'ark',
  baseUrl: 'https://ark.cn-beijing.volces.com',
  formats: {},
  auth: { kind: 'bearer' },
  models: [
    'doubao-seedance-1-5-pro-251215',
    'doubao-seedance-1-0-pro-250528',
    'doubao-seedance-1-0-lite-t2v-250428',
    'doubao-seedance-1-0-lite-i2v-250428',
  ],
};
