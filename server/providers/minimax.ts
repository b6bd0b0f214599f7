// https://platform.minimaxi.com/document/ChatCompletion_v2 — errors arrive as status 200 with `base_resp`.
// Claude's format: https://platform.minimax.io/docs/api-reference/text-anthropic-api
import { claudeAt, openaiModelList, thoughtsOfMiniMax } from './openai-shape.ts';
import type { ProviderRecord } from './spec.ts';

export const miniMax: ProviderRecord = {
  type: 35,
  name: 'MiniMax',
  baseUrl: 'https://api.minimax.chat',
  formats: {
    'openai-chat': {
      // Models before M3 always think. https://platform.minimax.io/docs/api-reference/text-openai-api
      thinking: { toggle: { field: 'thinking', on: 'adaptive' } },
      thoughts: thoughtsOfMiniMax,
      paths: {
        chat: '{base}/v1/text/chatcompletion_v2',
        images: '{base}/v1/image_generation',
        image_edits: '{base}/v1/image_generation',
        embeddings: '{base}/v1/embeddings',
        speech: '{base}/v1/t2a_v2',
      },
      images: 'minimax',
      speech: 'minimax',
      embeddings: 'minimax',
      streamOptions: 'ask',
      errors: {
        marker: '"base_resp"',
        code: 'base_resp.status_code',
        message: 'base_resp.status_msg',
        ok: 0,
        statuses: {
          1002: 429,
          1039: 429,
          1041: 429,
          1004: 401,
          2049: 401,
          1008: 402,
          1026: 400,
          1027: 400,
          1042: 400,
          2013: 400,
        },
      },
    },
    ...claudeAt('/anthropic', thoughtsOfMiniMax),
  },
  videos: 'hailuo',
  // https://platform.minimaxi.com/docs/api-reference/models/openai/list-models
  modelList: openaiModelList,
  // https://platform.minimaxi.com/docs/api-reference/errorcode
  refusals: { codesOfLength: ['1039'] },
};
