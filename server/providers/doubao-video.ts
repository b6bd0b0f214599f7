// Volcano Ark's videos only; `volcengine.ts` also makes them. https://www.volcengine.com/docs/82379/1520757
import type { Provider } from './spec.ts';

export const doubaoVideo: Provider = {
  type: 54,
  name: 'DoubaoVideo',
  videos: 'ark',
  baseUrl: 'https://ark.cn-beijing.volces.com',
  formats: {},
  auth: { kind: 'bearer' },
  models: [
    'doubao-seedance-2-5-260628',
    'doubao-seedance-2-0-260128',
    'doubao-seedance-2-0-fast-260128',
    'doubao-seedance-2-0-mini-260615',
  ],
};
