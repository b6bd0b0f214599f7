// Zhipu's first platform. Its models (`chatglm_…`) are gone; its keys are those of the platform that came after it, where channels of this
// type are asked now. https://docs.bigmodel.cn/api-reference
import models from './default-models.json' with { type: 'json' };
import type { Provider } from './spec.ts';
import { zhipuChat, zhipuModels } from './zhipu-v4.ts';

export const zhipu: Provider = {
  type: 16,
  name: 'Zhipu',
  baseUrl: 'https://open.bigmodel.cn',
  formats: { 'openai-chat': zhipuChat },
  auth: { kind: 'zhipu-jwt' },
  modelList: zhipuModels,
  models: models['26'],
};
