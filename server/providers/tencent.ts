// Tencent Hunyuan in its native format: one URL, where a header names the action.
// https://cloud.tencent.com/document/product/1729/105701
import type { ProviderRecord } from './spec.ts';

export const tencent: ProviderRecord = {
  type: 23,
  name: 'Tencent',
  baseUrl: 'https://hunyuan.tencentcloudapi.com',
  formats: {
    hunyuan: {
      paths: { chat: '{base}/', embeddings: '{base}/' },
      headers: { 'x-tc-action': 'ChatCompletions', 'x-tc-version': '2023-09-01' },
    },
  },
  auth: { kind: 'tencent', service: 'hunyuan' },
  models: ['hunyuan-lite', 'hunyuan-standard', 'hunyuan-standard-256K', 'hunyuan-pro'],
};
