// Baidu's first platform, where the URL names the model by another name.
// https://cloud.baidu.com/doc/WENXINWORKSHOP/s/Nlks5zkzu
import type { LocatedCall, ModelLocation, ProviderRecord } from './spec.ts';

const place = '{base}/rpc/2.0/ai_custom/v1/wenxinworkshop';

/** Endpoints by model name; other models use their name in lower case. */
const endpoints: Readonly<Record<string, string>> = {
  'ERNIE-4.0': 'completions_pro',
  'ERNIE-4.0-8K': 'completions_pro',
  'ERNIE-Bot-4': 'completions_pro',
  'ERNIE-Bot': 'completions',
  'ERNIE-3.5-8K': 'completions',
  'ERNIE-Bot-turbo': 'eb-instant',
  'ERNIE-Lite-8K-0922': 'eb-instant',
  'ERNIE-Lite-8K-0308': 'ernie-lite-8k',
  'ERNIE-Bot-8K': 'ernie_bot_8k',
  'ERNIE-Speed': 'ernie_speed',
  'ERNIE-Speed-8K': 'ernie_speed',
  'BLOOMZ-7B': 'bloomz_7b1',
  'bge-large-zh': 'bge_large_zh',
  'bge-large-en': 'bge_large_en',
  'tao-8k': 'tao_8k',
  'Stable-Diffusion-XL': 'sd_xl',
};

export const baidu: ProviderRecord = {
  type: 15,
  name: 'Baidu',
  baseUrl: 'https://aip.baidubce.com',
  formats: {
    ernie: {
      paths: {
        chat: `${place}/chat/{endpoint}`,
        embeddings: `${place}/embeddings/{endpoint}`,
        images: `${place}/text2image/{endpoint}`,
      },
      images: 'wenxin',
    },
  },
  auth: { kind: 'baidu' },
  locate,
  // https://cloud.baidu.com/doc/WENXINWORKSHOP/s/tlmyncueh
  refusals: { codesOfLength: ['336007', '336103'] },
  models: [
    'ERNIE-4.0-8K',
    'ERNIE-3.5-8K',
    'ERNIE-3.5-8K-0205',
    'ERNIE-3.5-8K-1222',
    'ERNIE-Bot-8K',
    'ERNIE-3.5-4K-0205',
    'ERNIE-Speed-8K',
    'ERNIE-Speed-128K',
    'ERNIE-Lite-8K-0922',
    'ERNIE-Lite-8K-0308',
    'ERNIE-Tiny-8K',
    'BLOOMZ-7B',
    'Embedding-V1',
    'bge-large-zh',
    'bge-large-en',
    'tao-8k',
  ],
};

function locate({ model }: LocatedCall): ModelLocation {
  const endpoint = Object.hasOwn(endpoints, model) ? endpoints[model] : undefined;
  return { base: 'https://aip.baidubce.com', model, values: { endpoint: encodeURIComponent(endpoint ?? model.toLowerCase()) } };
}
