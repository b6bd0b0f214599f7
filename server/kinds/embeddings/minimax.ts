// Embeddings of MiniMax, which require a purpose. https://platform.minimaxi.com/document/Embeddings
import { tokenCount } from '#server/formats/token-usage.ts';
import type { EmbeddingsProvider } from './embeddings-parts.ts';
import { purposeIn } from './purpose.ts';
import { usageOfPrompt } from '../prompt-usage.ts';
import { readVectors } from './vectors.ts';

export const minimax: EmbeddingsProvider = {
  writeRequest({ inputs, dimensions, extras }, model) {
    const { purpose, left } = purposeIn(extras);
    return {
      body: { model, texts: inputs, type: purpose === 'query' ? 'query' : 'db' },
      dropped: [...Object.keys(left), ...(dimensions === undefined ? [] : ['dimensions'])],
    };
  },
  readResponse({ vectors: rows, total_tokens: total }) {
    const vectors = readVectors(rows);
    return vectors === null ? null : { vectors, usage: usageOfPrompt(tokenCount(total) ?? 0) };
  },
};
