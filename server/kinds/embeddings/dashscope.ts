// Ali's native embeddings. https://help.aliyun.com/zh/model-studio/text-embedding-synchronous-api
import { tokenCount } from '#server/formats/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { EmbeddingsProvider } from './embeddings-parts.ts';
import { purposeIn } from './purpose.ts';
import { usageOfPrompt } from '../prompt-usage.ts';
import { readVectors } from './vectors.ts';

export const dashscope: EmbeddingsProvider = {
  mostInputs: (model) => (/-v[12]$/.test(model) ? 25 : 10),
  writeRequest({ inputs, dimensions, extras }, model) {
    const { purpose, left } = purposeIn(extras);
    const { instruct, output_type: output, parameters: reported, ...others } = left;
    const parameters = {
      ...(isObject(reported) ? reported : {}),
      ...(dimensions === undefined ? {} : { dimension: dimensions }),
      ...(purpose === undefined ? {} : { text_type: purpose }),
      ...(typeof instruct === 'string' ? { instruct } : {}),
      ...(output === 'dense' ? { output_type: output } : {}),
    };
    return {
      body: { ...others, model, input: { texts: inputs }, ...(Object.keys(parameters).length === 0 ? {} : { parameters }) },
      dropped: output === undefined || output === 'dense' ? [] : ['output_type'],
    };
  },
  readResponse({ output, usage }) {
    if (!isObject(output) || !Array.isArray(output.embeddings)) return null;
    const rows = output.embeddings.filter(isObject).toSorted((a, b) => Number(a.text_index) - Number(b.text_index));
    const vectors = readVectors(rows.map((row) => row.embedding));
    return vectors === null ? null : { vectors, usage: usageOfPrompt(isObject(usage) ? (tokenCount(usage.total_tokens) ?? 0) : 0) };
  },
};
