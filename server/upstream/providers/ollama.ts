// Models on one's own machine. https://docs.ollama.com/api and https://docs.ollama.com/openai
import models from './default-models.json' with { type: 'json' };
import { ollamaEmbeddings } from './embeddings-hooks.ts';
import { openaiModelList } from './openai-shape.ts';
import type { Provider } from './spec.ts';

export const ollama: Provider = {
  type: 4,
  name: 'Ollama',
  dialect: 'openai-chat',
  framing: 'sse',
  baseUrl: 'http://localhost:11434',
  paths: { chat: '{base}/v1/chat/completions', embeddings: '{base}/api/embed' },
  auth: { kind: 'bearer' },
  modelList: openaiModelList,
  quirks: { streamOptions: 'ask', drop: ['n', 'user'] },
  embeddings: ollamaEmbeddings,
  models: models['4'],
};
