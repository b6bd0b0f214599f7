// OpenAI's embeddings for callers of other formats. https://platform.openai.com/docs/api-reference/embeddings
import { isObject } from '#server/framing/loose-json.ts';
import type { EmbeddingsProvider } from './embeddings-parts.ts';
import { readPromptUsage } from '../prompt-usage.ts';
import { readVectors } from './vectors.ts';

export const openai: EmbeddingsProvider = {
  writeRequest: ({ inputs, dimensions, extras }, model) => ({
    body: { ...extras, model, input: inputs, ...(dimensions === undefined ? {} : { dimensions }) },
    dropped: [],
  }),
  readResponse({ data, usage }) {
    if (!Array.isArray(data)) return null;
    const rows = data.filter(isObject).toSorted((a, b) => Number(a.index ?? 0) - Number(b.index ?? 0));
    const vectors = readVectors(rows.map((row) => row.embedding));
    const reported = readPromptUsage(usage);
    return vectors === null || reported === undefined ? null : { vectors, usage: reported };
  },
};
