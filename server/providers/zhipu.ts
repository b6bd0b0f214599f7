// Zhipu's first platform (`/api/paas/v3`, models `chatglm_…`). Its vendor named a date for the end of those models (2023-11-30) and others in
// their place, which its next platform has; the same keys are taken there. So channels of this type are asked as those of type 26, by models
// of that one. Whether the first platform still answers is not known. https://docs.bigmodel.cn/api-reference
import models from './default-models.json' with { type: 'json' };
import type { Provider } from './spec.ts';
import { zhipuAccount, zhipuChat, zhipuModels } from './zhipu-v4.ts';

export const zhipu: Provider = {
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
