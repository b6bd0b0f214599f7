// Baidu Qianfan, API version 2; the key may be `<key>|<application id>`. https://cloud.baidu.com/doc/qianfan-api
import models from './default-models.json' with { type: 'json' };
import { anyCallId, thoughtsOfHosts } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const baiduV2: Provider = {
  type: 46,
  name: 'BaiduV2',
  baseUrl: 'https://qianfan.baidubce.com',
  formats: {
    'openai-chat': {
      framing: 'sse',
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
      quirks: {
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
  },
  auth: { kind: 'bearer', split: { separator: '|', header: 'appid' } },
  modelList: { path: '{base}/v2/models', items: 'data', name: 'id' },
  models: models['46'],
};
