// Jimeng: videos only. https://www.volcengine.com/docs/85621
import type { Provider } from './spec.ts';

export const jimeng: Provider = {
  type: 51,
  name: 'Jimeng',
  videos: 'jimeng',
  baseUrl: 'https://visual.volcengineapi.com',
  formats: {},
  auth: { kind: 'volc', region: 'cn-north-1', service: 'cv' },
  models: ['jimeng_vgfm_t2v_l20', 'jimeng_vgfm_i2v_l20', 'jimeng_t2v_v30', 'jimeng_t2v_v30_1080p', 'jimeng_ti2v_v30_pro'],
};
