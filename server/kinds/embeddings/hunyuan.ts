// Embeddings of Tencent Hunyuan: a separate action at the shared address.
// https://cloud.tencent.com/document/product/1729/102832
import { isObject } from '#server/framing/loose-json.ts';
import type { EmbeddingsProvider } from './embeddings-parts.ts';
import { readPromptUsage } from '../prompt-usage.ts';
import { readVectors } from './vectors.ts';

export const hunyuan: EmbeddingsProvider = {
  mostInputs: () => 200,
  writeRequest: ({ inputs, dimensions, extras }) => ({
    body: { InputList: inputs },
    headers: { 'x-tc-action': 'GetEmbedding' },
    dropped: [...Object.keys(extras), ...(dimensions === undefined ? [] : ['dimensions'])],
  }),
  readResponse({ Response: response }) {
    if (!isObject(response) || !Array.isArray(response.Data)) return null;
    const rows = response.Data.filter(isObject).toSorted((a, b) => Number(a.Index) - Number(b.Index));
    const vectors = readVectors(rows.map((row) => row.Embedding));
    const { Usage: reported } = response;
    const usage = readPromptUsage(isObject(reported) ? { prompt_tokens: reported.PromptTokens, total_tokens: reported.TotalTokens } : null);
    return vectors === null || usage === undefined ? null : { vectors, usage };
  },
};
