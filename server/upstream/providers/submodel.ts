// https://submodel.ai/docs
import { openaiModelList } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const submodel: Provider = {
  type: 53,
  name: 'Submodel',
  dialect: 'openai-chat',
  framing: 'sse',
  baseUrl: 'https://llm.submodel.ai',
  paths: { chat: '{base}/v1/chat/completions' },
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  quirks: { streamOptions: 'pass' },
  models: [],
};
