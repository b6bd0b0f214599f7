// https://docs.mistral.ai/api — unknown fields are rejected with 422.
import { openaiModelList, openaiPaths } from './openai-shape.ts';
import type { ProviderRecord } from './spec.ts';

export const mistral: ProviderRecord = {
  type: 42,
  name: 'Mistral',
  baseUrl: 'https://api.mistral.ai',
  formats: {
    'openai-chat': {
      paths: {
        chat: openaiPaths.chat,
        fim: '{base}/v1/fim/completions',
        embeddings: openaiPaths.embeddings,
        speech: openaiPaths.speech,
        transcriptions: openaiPaths.transcriptions,
      },
      speech: 'mistral',
      transcripts: 'mistral',
      quirks: {
        streamOptions: 'ask',
        rename: { seed: 'random_seed', max_completion_tokens: 'max_tokens' },
        replace: { tool_choice: { required: 'any' } },
        drop: ['user', 'logit_bias', 'logprobs', 'top_logprobs', 'store', 'service_tier', 'top_k'],
        // Fields of OpenAI's responses that clients send back.
        dropFromMessages: ['refusal', 'annotations', 'audio', 'function_call', 'reasoning', 'reasoning_content'],
        images: 'text',
      },
      // `Tool call id has to be defined, only a-z, A-Z, 0-9, with a length of 9`: https://github.com/BerriAI/litellm/issues/41534
      callIds: { letters: /^[a-zA-Z0-9]+$/, exactly: 9 },
    },
  },
  // https://docs.mistral.ai/capabilities/batch
  runsBatches: 'openai',
  account: {
    path: '/v1',
    endpoints: { '/v1/chat/completions': '/v1/chat/completions', '/v1/embeddings': '/v1/embeddings' },
    jobs: 'mistral',
  },
  modelList: openaiModelList,
};
