// Reranking at the path of Cohere's second API. https://docs.cohere.com/v2/reference/rerank
import type { ClientCall } from '#server/formats/client-dialect.ts';
import { rerankClient } from './rerank-client.ts';
import type { RerankShape } from './rerank-parts.ts';

const shape: RerankShape = 'cohere-v2';

export const cohereRerank: ClientCall = {
  ...rerankClient,
  responseFields: (body, address) => ({ ...rerankClient.responseFields?.(body, address), shape }),
};
