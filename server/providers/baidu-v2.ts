// Baidu Qianfan, API version 2; the key may be `<key>|<application id>`. https://cloud.baidu.com/doc/qianfan-api
import { anyCallId, thoughtsOfHosts } from './openai-shape.ts';
import type { ProviderRecord } from './spec.ts';

export const baiduV2: ProviderRecord = {
  type: 46,
  name: 'BaiduV2',
  baseUrl: 'https://qianfan.baidubce.com',
  formats: {
    'openai-chat': {
      thoughts: thoughtsOfHosts,
      callIds: anyCallId,
      paths: {
        chat: '{base}/v2/chat/completions',
        embeddings: '{base}/v2/embeddings',
        images: '{base}/v2/images/generations',
        rerank: '{base}/v2/rerank',
      },
      images: 'qianfan',
      rerank: 'qianfan',
      streamOptions: 'ask',
      modelRules: [
        {
          prefixes: [''],
          suffixes: [
            {
              suffix: '-search',
              set: { web_search: { enable: true, enable_citation: true, enable_trace: true, enable_status: false } },
            },
          ],
        },
      ],
    },
  },
  auth: { kind: 'bearer', split: { separator: '|', header: 'appid' } },
  modelList: { path: '{base}/v2/models' },
};
