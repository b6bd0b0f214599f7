// Embeddings of Baidu's first platform: OpenAI's shape without a model.
// https://cloud.baidu.com/doc/WENXINWORKSHOP/s/alj562vvu
import { isObject } from '#server/framing/loose-json.ts';
import { readPromptUsage } from '../prompt-usage.ts';
import type { EmbeddingsProvider } from './embeddings-parts.ts';
import { readVectors } from './vectors.ts';

export const ernie: EmbeddingsProvider = {
  mostInputs: () => 16,
  writeRequest: ({ inputs, dimensions, extras }) => ({
    body: { input: inputs },
    dropped: [...Object.keys(extras), ...(dimensions === undefined ? [] : ['dimensions'])],
  }),
  readResponse({ data, usage: reported }) {
    if (!Array.isArray(data)) return null;
    const rows = data.filter(isObject).toSorted((a, b) => Number(a.index) - Number(b.index));
    const vectors = readVectors(rows.map((row) => row.embedding));
    const usage = readPromptUsage(reported);
    return vectors === null || usage === undefined ? null : { vectors, usage };
  },
};
