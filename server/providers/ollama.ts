// Local models. https://docs.ollama.com/api and https://docs.ollama.com/openai
import { anyCallId, thoughtsOfHosts } from './openai-shape.ts';
import type { ProviderRecord } from './spec.ts';

export const ollama: ProviderRecord = {
  type: 4,
  name: 'Ollama',
  baseUrl: 'http://localhost:11434',
  formats: {
    'openai-chat': {
      thoughts: thoughtsOfHosts,
      callIds: anyCallId,
      paths: { chat: '{base}/v1/chat/completions', completions: '{base}/v1/completions', embeddings: '{base}/api/embed' },
      streamOptions: 'ask',
      drop: ['n', 'user'],
      // https://docs.ollama.com/api/openai-compatibility
      takesAddresses: [],
      embeddings: 'ollama',
      // Translated calls use the native format, which supports more.
      use: 'its_callers',
    },
    ollama: {
      framing: 'json-lines',
      paths: { chat: '{base}/api/chat', embeddings: '{base}/api/embed' },
    },
  },
  modelList: { path: '{base}/api/tags', items: 'models', name: 'name' },
  // Pulled models are listed by the server.
};
