// https://submodel.ai/docs
import { anyCallId, openaiModelList, thoughtsOfHosts } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const submodel: Provider = {
  type: 53,
  name: 'Submodel',
  baseUrl: 'https://llm.submodel.ai',
  formats: {
    'openai-chat': {
      framing: 'sse',
      thoughts: thoughtsOfHosts,
      callIds: anyCallId,
      paths: { chat: '{base}/v1/chat/completions' },
      quirks: { streamOptions: 'pass' },
    },
  },
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  models: [],
};
