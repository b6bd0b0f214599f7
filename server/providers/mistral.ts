// https://docs.mistral.ai/api — unknown fields are rejected with 422.
import { editImages, editMessages } from './adapt.ts';
import { openaiModelList, openaiPaths } from './openai-shape.ts';
import type { ProviderRecord } from './spec.ts';

/** Fields of OpenAI's responses that clients send back. */
const ofOpenai = ['refusal', 'annotations', 'audio', 'function_call', 'reasoning', 'reasoning_content'];

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
      streamOptions: 'ask',
      drop: ['user', 'logit_bias', 'logprobs', 'top_logprobs', 'store', 'service_tier', 'top_k'],
      adapt(edit) {
        edit.rename('seed', 'random_seed');
        edit.rename('max_completion_tokens', 'max_tokens');
        if (edit.get('tool_choice') === 'required') edit.set('tool_choice', 'any');
        editMessages(edit, (message) => {
          for (const field of ofOpenai) message.drop(field);
          editImages(message, (url) => url);
        });
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
