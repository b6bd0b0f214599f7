// Zhipu's first platform (`/api/paas/v3`, models `chatglm_…`). The vendor announced the end of its models for
// 2023-11-30, with successors on the next platform, which accepts the same keys. So channels of this type are called
// like type 26, with its models. Whether the first platform still works is unknown.
// https://docs.bigmodel.cn/api-reference
import models from './default-models.json' with { type: 'json' };
import type { ProviderRecord } from './spec.ts';
import { zhipuAccount, zhipuChat, zhipuModels } from './zhipu-v4.ts';

export const zhipu: ProviderRecord = {
  type: 16,
  name: 'Zhipu',
  baseUrl: 'https://open.bigmodel.cn',
  formats: { 'openai-chat': zhipuChat },
  auth: { kind: 'zhipu-jwt' },
  runsBatches: 'openai',
  account: zhipuAccount,
  modelList: zhipuModels,
  // https://docs.bigmodel.cn/cn/api/api-code
  refusals: { codesOfLength: ['1261'] },
  models: models['26'],
};
