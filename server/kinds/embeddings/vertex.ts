// Embeddings of Vertex, by `predict`; Gemini models take one text at a time.
// https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api
import { tokenCount } from '#server/formats/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { EmbeddingsProvider } from './embeddings-parts.ts';
import { taskOf } from './gemini.ts';
import { usageOfPrompt } from '../prompt-usage.ts';
import { readVectors } from './vectors.ts';

export const vertex: EmbeddingsProvider = {
  mostInputs: (model) => (model.startsWith('gemini') ? 1 : 250),
  writeRequest({ inputs, dimensions, extras }) {
    const { task, dropped } = taskOf(extras);
    return {
      body: {
        instances: inputs.map((content) => ({ content, ...(task === undefined ? {} : { task_type: task }) })),
        ...(dimensions === undefined ? {} : { parameters: { outputDimensionality: dimensions } }),
      },
      dropped,
    };
  },
  readResponse({ predictions }) {
    if (!Array.isArray(predictions)) return null;
    const rows = predictions.map((row: unknown) => (isObject(row) && isObject(row.embeddings) ? row.embeddings : {}));
    const vectors = readVectors(rows.map(({ values }) => values));
    const reported = rows.map(({ statistics }) => (isObject(statistics) ? (tokenCount(statistics.token_count) ?? 0) : 0));
    return vectors === null ? null : { vectors, usage: usageOfPrompt(reported.reduce((sum, tokens) => sum + tokens, 0)) };
  },
};
