// Zhipu GLM, API version 4. https://docs.bigmodel.cn/api-reference
// Claude's format: https://docs.bigmodel.cn/cn/guide/develop/claude/introduction
import { editImages, editMessages, withinUnit } from './adapt.ts';
import { claudeAt, thinkingSwitch, thoughtsBack } from './openai-shape.ts';
import type { ModelList, ProviderRecord, ProviderAccount, ProviderFormat } from './spec.ts';

/** Chat format that both of the vendor's platforms share, as they share keys. */
export const zhipuChat: ProviderFormat = {
  thinking: thinkingSwitch,
  thoughts: thoughtsBack,
  paths: {
    chat: '{base}/api/paas/v4/chat/completions',
    embeddings: '{base}/api/paas/v4/embeddings',
    images: '{base}/api/paas/v4/images/generations',
    speech: '{base}/api/paas/v4/audio/speech',
    transcriptions: '{base}/api/paas/v4/audio/transcriptions',
  },
  images: 'zhipu',
  speech: 'zhipu',
  transcripts: 'zhipu',
  streamOptions: 'ask',
  drop: ['presence_penalty', 'frequency_penalty'],
  adapt(edit) {
    withinUnit(edit, 'top_p', { most: 0.99 });
    if (typeof edit.get('stop') === 'string') edit.set('stop', [edit.get('stop')]);
    // Images are Base64 without `data:…;base64,`.
    editMessages(edit, (message) => {
      editImages(message, (url, image) => ({ ...image, url: url.replace(/^data:[^,]*;base64,/, '') }));
    });
  },
};

export const zhipuModels: ModelList = { path: '{base}/api/paas/v4/models' };

/** https://docs.bigmodel.cn/api-reference/批处理-api/创建批处理任务 */
export const zhipuAccount: ProviderAccount = { path: '/api/paas/v4', endpoints: { '/v1/chat/completions': '/v4/chat/completions' } };

export const zhipuV4: ProviderRecord = {
  type: 26,
  name: 'Zhipu_v4',
  baseUrl: 'https://open.bigmodel.cn',
  formats: {
    'openai-chat': zhipuChat,
    ...claudeAt('/api/anthropic', thoughtsBack),
  },
  videos: 'cogvideo',
  auth: { kind: 'zhipu-jwt' },
  runsBatches: 'openai',
  account: zhipuAccount,
  modelList: zhipuModels,
  // https://docs.bigmodel.cn/cn/api/api-code
  refusals: { codesOfLength: ['1261'] },
};
