// Models of many vendors as predictions: text models for chat, others for images.
// https://replicate.com/docs/reference/http
import { predictionTarget } from '#server/formats/predictions.ts';
import type { ProviderRecord } from './spec.ts';

const baseUrl = 'https://api.replicate.com';

export const replicate: ProviderRecord = {
  type: 56,
  name: 'Replicate',
  baseUrl,
  formats: {
    replicate: { paths: { chat: '{base}/v1/{target}', images: '{base}/v1/{target}' }, images: 'replicate' },
  },
  locate({ model }) {
    const target = predictionTarget(model);
    return target === null ? null : { base: baseUrl, values: { target: target.path }, model };
  },
  models: ['meta/meta-llama-3-8b-instruct', 'meta/meta-llama-3-70b-instruct', 'black-forest-labs/flux-schnell'],
};
