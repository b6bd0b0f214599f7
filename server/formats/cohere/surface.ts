// API surface of Cohere's second API. https://docs.cohere.com/reference/errors
import type { ApiSurface } from '../api-surface.ts';

/** @param openai surface of the model lists, which are at paths of OpenAI */
export function cohereSurface(openai: ApiSurface): ApiSurface {
  return { ...openai, vendor: 'cohere', errorBody: ({ message }, requestId) => ({ id: requestId, message }) };
}
