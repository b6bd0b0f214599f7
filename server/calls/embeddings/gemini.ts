// Gemini's `embedContent`, and `batchEmbedContents` for several texts. https://ai.google.dev/api/embeddings
import { tokenCount } from '#server/dialects/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { EmbeddingsProvider } from './embeddings-parts.ts';
import { usageOfPrompt } from '../prompt-usage.ts';
import { readVectors } from './vectors.ts';

/** It makes vectors of one length only. */
const ofOneLength = 'embedding-001';

export const gemini: EmbeddingsProvider = {
  mostInputs: () => 100,
  writeRequest({ inputs, dimensions, extras }, model) {
    const length = dimensions === undefined || model === ofOneLength ? {} : { outputDimensionality: dimensions };
    const asked = inputs.map((text) => ({ content: { parts: [{ text }] }, ...length }));
    const [first] = asked;
    const dropped = Object.keys(extras);
    if (asked.length === 1 && first !== undefined) return { body: first, dropped };
    return { body: { requests: asked.map((one) => ({ model: `models/${model}`, ...one })) }, dropped, isBatch: true };
  },
  readResponse({ embedding, embeddings, usageMetadata }) {
    const rows: unknown = Array.isArray(embeddings) ? embeddings : [embedding];
    const vectors = readVectors(Array.isArray(rows) ? rows.map((row: unknown) => (isObject(row) ? row.values : null)) : null);
    const told = isObject(usageMetadata) ? usageMetadata.promptTokenCount : undefined;
    return vectors === null ? null : { vectors, usage: usageOfPrompt(tokenCount(told) ?? 0) };
  },
};
