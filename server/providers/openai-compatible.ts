// Providers that differ from OpenAI's chat completions by little more than their address.
import { aiProxyBalance, creditGrants } from '#server/exchange/balance-sources.ts';
import { anyCallId, marksOfClaude, openaiModelList, openaiPaths, openaiReasoning, thoughtsOfHosts } from './openai-shape.ts';
import type { ProviderFormat, ProviderRecord } from './spec.ts';

/** Gateways to models of several vendors. */
const gateway: Partial<ProviderFormat> = {
  thoughts: thoughtsOfHosts,
  streamOptions: 'pass',
  modelRules: [openaiReasoning],
  cacheMarks: marksOfClaude,
};

/** Hosts of open models. */
const host: Partial<ProviderFormat> = { thoughts: thoughtsOfHosts, callIds: anyCallId, streamOptions: 'pass' };

export const openaiCompatible: readonly ProviderRecord[] = [
  listed(6, 'OpenAIMax', 'https://api.openaimax.com', gateway),
  // https://docs.ohmygpt.com
  listed(7, 'OhMyGPT', 'https://api.ohmygpt.com', gateway),
  listed(9, 'AILS', 'https://api.caipacity.com', gateway),
  { ...listed(10, 'AIProxy', 'https://api.aiproxy.io', gateway), balance: aiProxyBalance },
  { ...listed(12, 'API2GPT', 'https://api.api2gpt.com', gateway), balance: creditGrants('total_remaining') },
  { ...listed(13, 'AIGC2D', 'https://api.aigc2d.com', gateway), balance: creditGrants('total_available') },
  // 360 Zhinao. https://ai.360.com/platform/docs/overview
  listed(19, '360', 'https://api.360.cn'),
  // Applications built with FastGPT: the application decides the model, the key is `APIKey-AppId`. https://doc.fastgpt.io
  listed(22, 'FastGPT', 'https://fastgpt.run/api/openapi'),
  // 01.AI. https://platform.lingyiwanwu.com/docs
  listed(31, 'LingYiWanWu', 'https://api.lingyiwanwu.com', { streamOptions: 'ask' }),
  // Embeddings and reranking. Objects such as `{"image": …}` in `input` survive. https://jina.ai/embeddings
  unlisted(38, 'Jina', 'https://api.jina.ai', { embeddings: openaiPaths.embeddings, rerank: openaiPaths.rerank }),
  // Embeddings with the M3E models.
  unlisted(44, 'MokaAI', 'https://api.moka.ai', { embeddings: '{base}/embeddings' }),
  // Self-hosted models. https://inference.readthedocs.io
  listed(47, 'Xinference', null, { ...host, rerank: 'xinference' }),
  // https://submodel.ai/docs
  listed(53, 'Submodel', 'https://llm.submodel.ai', { ...host, paths: { chat: openaiPaths.chat } }),
];

function unlisted(type: number, name: string, baseUrl: string | null, paths: ProviderFormat['paths']): ProviderRecord {
  return { type, name, baseUrl, formats: { 'openai-chat': { paths } } };
}

/** @param format differences from a format with all of OpenAI's paths */
function listed(type: number, name: string, baseUrl: string | null, format: Partial<ProviderFormat> = {}): ProviderRecord {
  return { type, name, baseUrl, formats: { 'openai-chat': { paths: openaiPaths, ...format } }, modelList: openaiModelList };
}
