// Providers that only run tasks: drawings, music (`server/tasks/platforms/`) and videos (`server/tasks/videos/`).
import type { ProviderRecord } from './spec.ts';

export const taskProviders: readonly ProviderRecord[] = [
  { type: 2, name: 'Midjourney Proxy', tasks: 'midjourney', baseUrl: null, auth: { kind: 'header', name: 'mj-api-secret' } },
  { type: 5, name: 'Midjourney Proxy Plus', tasks: 'midjourney', baseUrl: null, auth: { kind: 'header', name: 'mj-api-secret' } },
  { type: 36, name: 'Suno API', tasks: 'suno', baseUrl: null },
  {
    // OpenAI's videos, and compatible servers. OpenAI announced the end of its own for September 24, 2026.
    // https://platform.openai.com/docs/api-reference/videos
    type: 55,
    name: 'Sora',
    videos: 'sora',
    baseUrl: 'https://api.openai.com',
    headers: { 'openai-organization': '{organization}' },
    gatewayDrops: '/v1',
    models: ['sora-2', 'sora-2-pro'],
  },
  {
    // https://app.klingai.com/global/dev/document-api
    type: 50,
    name: 'Kling',
    videos: 'kling',
    baseUrl: 'https://api.klingai.com',
    auth: { kind: 'kling' },
    models: ['kling-v1', 'kling-v1-6', 'kling-v2-master', 'kling-v2-1', 'kling-v2-1-master', 'kling-v2-5-turbo', 'kling-v2-6'],
  },
  {
    // https://www.volcengine.com/docs/85621
    type: 51,
    name: 'Jimeng',
    videos: 'jimeng',
    baseUrl: 'https://visual.volcengineapi.com',
    auth: { kind: 'volc', region: 'cn-north-1', service: 'cv' },
    models: ['jimeng_vgfm_t2v_l20', 'jimeng_vgfm_i2v_l20', 'jimeng_t2v_v30', 'jimeng_t2v_v30_1080p', 'jimeng_ti2v_v30_pro'],
  },
  {
    // https://platform.vidu.com/docs
    type: 52,
    name: 'Vidu',
    videos: 'vidu',
    baseUrl: 'https://api.vidu.cn',
    auth: { kind: 'header', name: 'authorization', prefix: 'Token ' },
    models: ['viduq2-pro', 'viduq2-turbo', 'viduq2', 'viduq1', 'vidu2.0'],
  },
  {
    // Volcano Ark's videos only; `volcengine.ts` also makes them. https://www.volcengine.com/docs/82379/1520757
    type: 54,
    name: 'DoubaoVideo',
    videos: 'ark',
    baseUrl: 'https://ark.cn-beijing.volces.com',
    models: [
      'doubao-seedance-2-5-260628',
      'doubao-seedance-2-0-260128',
      'doubao-seedance-2-0-fast-260128',
      'doubao-seedance-2-0-mini-260615',
    ],
  },
];
