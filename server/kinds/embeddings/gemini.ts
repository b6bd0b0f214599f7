// Gemini's `embedContent`, and `batchEmbedContents` for several texts. https://ai.google.dev/api/embeddings
import { tokenCount } from '#server/formats/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { EmbeddingsProvider } from './embeddings-parts.ts';
import { purposeIn } from './purpose.ts';
import { usageOfPrompt } from '../prompt-usage.ts';
import { readVectors } from './vectors.ts';

/** Model without a choice of dimensions. */
const ofOneLength = 'embedding-001';

/** https://ai.google.dev/api/embeddings#tasktype */
const tasks =
  /^(?:RETRIEVAL_QUERY|RETRIEVAL_DOCUMENT|SEMANTIC_SIMILARITY|CLASSIFICATION|CLUSTERING|QUESTION_ANSWERING|FACT_VERIFICATION|CODE_RETRIEVAL_QUERY)$/;

/**
 * Maps the purpose to Google's task type.
 * @returns `dropped`: fields with another value
 */
export function taskOf(extras: Readonly<Record<string, unknown>>): { task: string | undefined; dropped: readonly string[] } {
  const named = ['task_type', 'taskType'].find((name) => typeof extras[name] === 'string' && tasks.test(extras[name]));
  if (named !== undefined) return { task: String(extras[named]), dropped: Object.keys(extras).filter((name) => name !== named) };
  const { purpose, left } = purposeIn(extras);
  return { task: purpose === undefined ? undefined : `RETRIEVAL_${purpose.toUpperCase()}`, dropped: Object.keys(left) };
}

export const gemini: EmbeddingsProvider = {
  mostInputs: () => 100,
  writeRequest({ inputs, dimensions, extras }, model) {
    const length = dimensions === undefined || model === ofOneLength ? {} : { outputDimensionality: dimensions };
    const { task, dropped } = taskOf(extras);
    const wanted = { ...length, ...(task === undefined ? {} : { taskType: task }) };
    const requested = inputs.map((text) => ({ content: { parts: [{ text }] }, ...wanted }));
    const [first] = requested;
    if (requested.length === 1 && first !== undefined) return { body: first, dropped };
    return { body: { requests: requested.map((one) => ({ model: `models/${model}`, ...one })) }, dropped, isBatch: true };
  },
  readResponse({ embedding, embeddings, usageMetadata }) {
    const rows: unknown = Array.isArray(embeddings) ? embeddings : [embedding];
    const vectors = readVectors(Array.isArray(rows) ? rows.map((row: unknown) => (isObject(row) ? row.values : null)) : null);
    const reported = isObject(usageMetadata) ? usageMetadata.promptTokenCount : undefined;
    return vectors === null ? null : { vectors, usage: usageOfPrompt(tokenCount(reported) ?? 0) };
  },
};
