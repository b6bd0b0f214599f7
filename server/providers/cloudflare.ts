// Workers AI; the channel's free field is the account id.
// https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility
import { saying } from '#server/kinds/audio/workers-transcripts.ts';
import { anyCallId, thoughtsOfHosts } from './openai-shape.ts';
import type { ProviderRecord } from './spec.ts';

/** Path of models in their native format. */
const ran = '{base}/client/v4/accounts/{other}/ai/run/{model}';

export const cloudflare: ProviderRecord = {
  type: 39,
  name: 'Cloudflare',
  baseUrl: 'https://api.cloudflare.com',
  formats: {
    'openai-chat': {
      thoughts: thoughtsOfHosts,
      callIds: anyCallId,
      paths: {
        chat: '{base}/client/v4/accounts/{other}/ai/v1/chat/completions',
        embeddings: '{base}/client/v4/accounts/{other}/ai/v1/embeddings',
        transcriptions: [{ modelPrefix: '@cf/openai/whisper', path: ran }, { path: null }],
        translations: [{ modelPrefix: saying, path: ran }, { path: null }],
      },
      transcripts: 'workers',
      streamOptions: 'ask',
      // https://developers.cloudflare.com/workers-ai/models/llama-3.2-11b-vision-instruct/
      takesAddresses: [],
      responses: { tunedModel: true },
    },
  },
};
