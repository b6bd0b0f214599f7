// API surface of Cohere's second API, with OpenAI's model lists. https://docs.cohere.com/reference/errors
import type { ApiSurface } from '../api-surface.ts';
import { openaiSurface } from '../openai/surface.ts';

export const cohereSurface: ApiSurface = {
  ...openaiSurface,
  vendor: 'cohere',
  errorBody: ({ message }, requestId) => ({ id: requestId, message }),
};
