// Rerank formats by the name in a provider's record.
import type { RerankFormat } from './rerank-parts.ts';

/** Prefixes of Ali's models that take the flat shape; others take Ali's nested one. */
export const flatRequestModels = ['qwen3-rerank', 'qwen3.7-text-rerank'];

const forms: Readonly<Record<string, RerankFormat>> = {
  cohere: {
    saysReturn: true,
    rename: { max_chunk_per_doc: 'max_chunks_per_doc' },
    fields: ['model', 'query', 'documents', 'top_n', 'rank_fields', 'return_documents', 'max_chunks_per_doc', 'max_tokens_per_doc'],
  },
  // https://docs.siliconflow.cn/cn/api-reference/rerank/create-rerank
  siliconflow: { textsOnly: true, rename: { max_chunk_per_doc: 'max_chunks_per_doc' } },
  // https://inference.readthedocs.io/en/latest/models/model_abilities/rerank.html
  xinference: { textsOnly: true },
  // https://cloud.baidu.com/doc/qianfan-api/s/2m7u4zt74
  qianfan: { textsOnly: true, fields: ['model', 'query', 'documents', 'top_n', 'user'] },
};
const anyForm: RerankFormat = {};

// https://help.aliyun.com/zh/model-studio/text-rerank-api
const dashscopeFlat: RerankFormat = { textsOnly: true, fields: ['model', 'query', 'documents', 'top_n', 'instruct'] };
const nested = { parameters: ['top_n', 'return_documents', 'instruct'], input: ['query', 'documents'] };
const dashscopeNested: RerankFormat = { textsOnly: true, saysReturn: true, nested };
/** Multimodal model: reads images and videos, too. */
const dashscopeSeen: RerankFormat = { objectsOnly: true, saysReturn: true, nested };

/**
 * Returns undefined for an unknown name.
 * @param model upstream model name
 */
export function rerankFormatOf(name: string | undefined, model: string): RerankFormat | undefined {
  if (name === undefined) return anyForm;
  if (name !== 'dashscope') return forms[name];
  if (flatRequestModels.some((prefix) => model.startsWith(prefix))) return dashscopeFlat;
  return model.includes('-vl-') ? dashscopeSeen : dashscopeNested;
}
