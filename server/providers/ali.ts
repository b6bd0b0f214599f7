// Alibaba DashScope: chat in compatible mode; embeddings and images in native formats. The channel's free field names
// plugins.
// https://help.aliyun.com/zh/model-studio/compatibility-of-openai-with-dashscope
// Claude's format: https://help.aliyun.com/zh/model-studio/anthropic-api-messages
import { byMessages } from '#server/kinds/images/vendors/dashscope.ts';
import { flatRequestModels } from '#server/kinds/rerank/vendors.ts';
import { withinUnit } from './adapt.ts';
import { anyCallId, claudeAt, thinkingFlag, thoughtsBack } from './openai-shape.ts';
import type { ProviderRecord } from './spec.ts';

/** Prefixes of models that edit images. */
const editing = ['qwen-image-edit', 'qwen-image-2', 'wan2.6', 'wan2.7'];

const completing = ['qwen-coder-turbo', 'qwen2.5-coder'];

export const ali: ProviderRecord = {
  type: 17,
  name: 'Ali',
  baseUrl: 'https://dashscope.aliyuncs.com',
  formats: {
    'openai-chat': {
      thinking: thinkingFlag,
      thoughts: thoughtsBack,
      callIds: anyCallId,
      paths: {
        chat: '{base}/compatible-mode/v1/chat/completions',
        // Only coder models support completions. https://help.aliyun.com/zh/model-studio/completions
        completions: [...completing.map((modelPrefix) => ({ modelPrefix, path: '{base}/compatible-mode/v1/completions' })), { path: null }],
        rerank: [
          ...flatRequestModels.map((modelPrefix) => ({ modelPrefix, path: '{base}/compatible-api/v1/reranks' })),
          { path: '{base}/api/v1/services/rerank/text-rerank/text-rerank' },
        ],
        embeddings: '{base}/api/v1/services/embeddings/text-embedding/text-embedding',
        transcriptions: '{base}/compatible-mode/v1/chat/completions',
        speech: '{base}/api/v1/services/aigc/multimodal-generation/generation',
        image_edits: [
          ...editing.map((modelPrefix) => ({ modelPrefix, path: '{base}/api/v1/services/aigc/multimodal-generation/generation' })),
          { path: null },
        ],
        images: [
          ...byMessages.map((modelPrefix) => ({
            modelPrefix,
            path: '{base}/api/v1/services/aigc/multimodal-generation/generation',
          })),
          { path: '{base}/api/v1/services/aigc/text2image/image-synthesis' },
        ],
      },
      streamOptions: 'ask',
      adapt: (edit) => withinUnit(edit, 'top_p', { least: 0.001, most: 0.999 }),
      // https://www.alibabacloud.com/help/en/model-studio/context-cache
      cacheMarks: { models: /^(?:qwen|deepseek|kimi|glm)/i, results: 'text' },
      // https://help.aliyun.com/zh/model-studio/error-code
      errors: {
        marker: '"code"',
        code: 'code',
        message: 'message',
        ok: '',
        statuses: {
          InvalidApiKey: 401,
          'InvalidParameter*': 400,
          DataInspectionFailed: 400,
          Arrearage: 403,
          'AccessDenied*': 403,
          'Throttling*': 429,
        },
      },
      embeddings: 'dashscope',
      rerank: 'dashscope',
      images: 'dashscope',
      speech: 'dashscope',
      transcripts: 'chat',
    },
    ...claudeAt('/apps/anthropic', thoughtsBack),
  },
  videos: 'wan',
  // https://help.aliyun.com/zh/model-studio/batch-interfaces-compatible-with-openai
  runsBatches: 'openai',
  account: {
    path: '/compatible-mode/v1',
    endpoints: { '/v1/chat/completions': '/v1/chat/completions' },
  },
  headers: { 'x-dashscope-plugin': '{other}' },
  streamHeaders: { 'x-dashscope-sse': 'enable' },
  modelList: { path: '{base}/compatible-mode/v1/models' },
};
