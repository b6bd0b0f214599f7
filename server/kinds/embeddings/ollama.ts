// https://docs.ollama.com/api/embed — one vector for each input, `prompt_eval_count` as usage.
import { tokenCount } from '#server/formats/token-usage.ts';
import type { EmbeddingsProvider } from './embeddings-parts.ts';
import { usageOfPrompt } from '../prompt-usage.ts';
import { readVectors } from './vectors.ts';

export const ollama: EmbeddingsProvider = {
  writeRequest: ({ inputs, dimensions, extras }, model) => ({
    body: { ...extras, model, input: inputs, ...(dimensions === undefined ? {} : { dimensions }) },
    dropped: [],
  }),
  readResponse(body) {
    const vectors = readVectors(body['embeddings']);
    return vectors === null ? null : { vectors, usage: usageOfPrompt(tokenCount(body['prompt_eval_count']) ?? 0) };
  },
};
