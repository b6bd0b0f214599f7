// Registry of providers. Adding one takes a file and a line here, or a row of `openai-compatible.ts`.
import { aiProxyLibrary } from './aiproxy-library.ts';
import { ali } from './ali.ts';
import { anthropic } from './anthropic.ts';
import { azure } from './azure.ts';
import { baidu } from './baidu.ts';
import { baiduV2 } from './baidu-v2.ts';
import { bedrock } from './bedrock.ts';
import { cloudflare } from './cloudflare.ts';
import { codex } from './codex.ts';
import { cohere } from './cohere.ts';
import { coze } from './coze.ts';
import { custom } from './custom.ts';
import { deepSeek } from './deepseek.ts';
import defaultModels from './default-models.json' with { type: 'json' };
import { dify } from './dify.ts';
import { gemini } from './gemini.ts';
import { miniMax } from './minimax.ts';
import { mistral } from './mistral.ts';
import { moonshot } from './moonshot.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';
import { openaiCompatible } from './openai-compatible.ts';
import { openRouter } from './openrouter.ts';
import { palm } from './palm.ts';
import { perplexity } from './perplexity.ts';
import { replicate } from './replicate.ts';
import { siliconFlow } from './siliconflow.ts';
import type { Provider, ProviderRecord } from './spec.ts';
import { taskProviders } from './task-providers.ts';
import { tencent } from './tencent.ts';
import { vertex } from './vertex.ts';
import { volcEngine } from './volcengine.ts';
import { xai } from './xai.ts';
import { xunfei } from './xunfei.ts';
import { zhipu } from './zhipu.ts';
import { zhipuV4 } from './zhipu-v4.ts';

const records: readonly ProviderRecord[] = [
  openai,
  azure,
  ollama,
  custom,
  palm,
  anthropic,
  baidu,
  zhipu,
  ali,
  xunfei,
  openRouter,
  aiProxyLibrary,
  tencent,
  gemini,
  moonshot,
  zhipuV4,
  perplexity,
  cohere,
  miniMax,
  dify,
  cloudflare,
  siliconFlow,
  vertex,
  mistral,
  deepSeek,
  volcEngine,
  baiduV2,
  bedrock,
  xai,
  coze,
  replicate,
  codex,
  ...openaiCompatible,
  ...taskProviders,
];

const modelsByType: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(defaultModels));

export const providers: readonly Provider[] = records.map((record) => ({
  formats: {},
  auth: { kind: 'bearer' },
  models: modelsByType.get(String(record.type)) ?? [],
  ...record,
}));

const byType = new Map(providers.map((provider) => [provider.type, provider]));

export const supportedTypes: readonly number[] = [...byType.keys()];

export function providerOf(type: number): Provider | undefined {
  return byType.get(type);
}

export function isSupported(type: number): boolean {
  return byType.has(type);
}
