// https://docs.siliconflow.cn/cn/api-reference
import { anyCallId, openaiModelList, openaiPaths, thinkingFlag, thoughtsBack } from './openai-shape.ts';
import { siliconFlowBalance } from '#server/exchange/balance-sources.ts';
import type { ProviderRecord } from './spec.ts';

export const siliconFlow: ProviderRecord = {
  type: 40,
  name: 'SiliconFlow',
  baseUrl: 'https://api.siliconflow.cn',
  formats: {
    'openai-chat': {
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
      streamOptions: 'ask',
    },
  },
  modelList: openaiModelList,
  balance: siliconFlowBalance,
};
