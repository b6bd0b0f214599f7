// https://docs.siliconflow.cn/cn/api-reference
import models from './default-models.json' with { type: 'json' };
import { anyCallId, openaiModelList, openaiPaths, thinkingFlag, thoughtsBack } from './openai-shape.ts';
import { siliconFlowBalance } from '#server/exchange/balance-sources.ts';
import type { Provider } from './spec.ts';

export const siliconFlow: Provider = {
  type: 40,
  name: 'SiliconFlow',
  baseUrl: 'https://api.siliconflow.cn',
  formats: {
    'openai-chat': {
      framing: 'sse',
      thinking: thinkingFlag,
      thoughts: thoughtsBack,
      callIds: anyCallId,
      paths: {
        chat: openaiPaths.chat,
        completions: openaiPaths.completions,
        embeddings: openaiPaths.embeddings,
        images: openaiPaths.images,
        image_edits: openaiPaths.images,
        rerank: openaiPaths.rerank,
        speech: openaiPaths.speech,
        transcriptions: openaiPaths.transcriptions,
      },
      rerank: 'siliconflow',
      images: 'siliconflow',
      quirks: { streamOptions: 'ask' },
    },
  },
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  balance: siliconFlowBalance,
  models: models['40'],
};
