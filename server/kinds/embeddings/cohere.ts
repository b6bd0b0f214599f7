// Cohere's embeddings. https://docs.cohere.com/v2/reference/embed
import { isObject } from '#server/framing/loose-json.ts';
import { readPromptUsage } from '../prompt-usage.ts';
import type { EmbeddingsProvider } from './embeddings-parts.ts';
import { purposeIn } from './purpose.ts';
import { readVectors } from './vectors.ts';

/** Caller's fields that are forwarded with the texts. */
const known: ReadonlySet<string> = new Set(['input_type', 'truncate', 'max_tokens']);

export const cohere: EmbeddingsProvider = {
  mostInputs: () => 96,
  writeRequest({ inputs, dimensions, extras }, model) {
    const { purpose, left } = purposeIn(extras, ['input_type']);
    const reported = Object.fromEntries(Object.entries(left).filter(([name]) => known.has(name)));
    return {
      body: {
        // `input_type` is required; the default is `search_document`.
        input_type: purpose === 'query' ? 'search_query' : 'search_document',
        ...reported,
        model,
        texts: inputs,
        embedding_types: ['float'],
        ...(dimensions === undefined ? {} : { output_dimension: dimensions }),
      },
      dropped: Object.keys(left).filter((name) => !known.has(name)),
    };
  },
  readResponse({ embeddings, meta }) {
    const vectors = isObject(embeddings) ? readVectors(embeddings.float) : null;
    const usage = readPromptUsage(isObject(meta) ? meta.billed_units : undefined);
    return vectors === null || usage === undefined ? null : { vectors, usage };
  },
};
