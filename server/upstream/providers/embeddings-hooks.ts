// The two providers of the OpenAI shape whose embeddings have a body of their own.
import type { EmbeddingsHook } from '#server/dialects/provider-traits.ts';
import { isObject } from '#server/framing/loose-json.ts';

/** https://docs.ollama.com/api/embed — one vector per input, `prompt_eval_count` as usage. */
export const ollamaEmbeddings: EmbeddingsHook = {
  request({ encoding_format: _format, user: _user, input, ...rest }) {
    return { ...rest, input: inputs(input) };
  },
  response(body, model) {
    if (!Array.isArray(body.embeddings)) return null;
    const tokens = body.prompt_eval_count ?? 0;
    return list(body.embeddings, model, tokens);
  },
};

/** https://help.aliyun.com/zh/model-studio/text-embedding-synchronous-api */
export const aliEmbeddings: EmbeddingsHook = {
  request({ model, input, dimensions, encoding_format: _format, user: _user, ...rest }) {
    return {
      ...rest,
      model,
      input: { texts: inputs(input) },
      ...(dimensions === undefined ? {} : { parameters: { dimension: dimensions } }),
    };
  },
  response(body, model) {
    const { output, usage } = body;
    if (!isObject(output) || !Array.isArray(output.embeddings)) return null;
    const rows = output.embeddings.filter(isObject).sort((a, b) => Number(a.text_index) - Number(b.text_index));
    return list(
      rows.map((row) => row.embedding),
      model,
      isObject(usage) ? (usage.total_tokens ?? 0) : 0,
    );
  },
};

function inputs(input: unknown): unknown[] {
  return Array.isArray(input) ? input : [input];
}

function list(vectors: readonly unknown[], model: string, tokens: unknown): Record<string, unknown> {
  return {
    object: 'list',
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    model,
    usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens },
  };
}
