// Reranking at the path of Cohere's second API, with its errors. https://docs.cohere.com/v2/reference/rerank
import type { ClientCall, ClientDialect } from '#server/formats/client-dialect.ts';
import { clientDialects } from '#server/formats/registry.ts';
import { rerankClient } from './rerank-client.ts';
import type { RerankShape } from './rerank-parts.ts';

const shape: RerankShape = 'cohere-v2';

export const cohereRerank: ClientCall = {
  ...rerankClient,
  responseFields: (body, address) => ({ ...rerankClient.responseFields?.(body, address), shape }),
};

/** https://docs.cohere.com/reference/errors */
export const cohereCallers: ClientDialect = {
  ...clientDialects['openai-chat'],
  errorBody: ({ message }, requestId) => ({ id: requestId, message }),
};
