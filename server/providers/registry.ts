// Registry of providers. Adding an OpenAI-compatible one takes a file and a line here.
import { ai360 } from './ai360.ts';
import { aigc2d } from './aigc2d.ts';
import { ails } from './ails.ts';
import { aiProxyLibrary } from './aiproxy-library.ts';
import { aiProxy } from './aiproxy.ts';
import { ali } from './ali.ts';
import { anthropic } from './anthropic.ts';
import { api2gpt } from './api2gpt.ts';
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
import { dify } from './dify.ts';
import { fastGpt } from './fastgpt.ts';
import { gemini } from './gemini.ts';
import { jina } from './jina.ts';
import { lingYiWanWu } from './lingyiwanwu.ts';
import { midjourneyProxy, midjourneyProxyPlus } from './midjourney.ts';
import { miniMax } from './minimax.ts';
import { mistral } from './mistral.ts';
import { mokaAi } from './mokaai.ts';
import { moonshot } from './moonshot.ts';
import { ohMyGpt } from './ohmygpt.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';
import { openaiMax } from './openai-max.ts';
import { openRouter } from './openrouter.ts';
import { palm } from './palm.ts';
import { perplexity } from './perplexity.ts';
import { replicate } from './replicate.ts';
import { siliconFlow } from './siliconflow.ts';
import { sora } from './sora.ts';
import { kling } from './kling.ts';
import { jimeng } from './jimeng.ts';
import { vidu } from './vidu.ts';
import { doubaoVideo } from './doubao-video.ts';
import type { Provider } from './spec.ts';
import { submodel } from './submodel.ts';
import { suno } from './suno.ts';
import { tencent } from './tencent.ts';
import { vertex } from './vertex.ts';
import { volcEngine } from './volcengine.ts';
import { xai } from './xai.ts';
import { xinference } from './xinference.ts';
import { xunfei } from './xunfei.ts';
import { zhipu } from './zhipu.ts';
import { zhipuV4 } from './zhipu-v4.ts';

export const providers: readonly Provider[] = [
  openai,
  azure,
  ollama,
  openaiMax,
  ohMyGpt,
  custom,
  ails,
  aiProxy,
  api2gpt,
  aigc2d,
  anthropic,
  baidu,
  zhipu,
  ali,
  xunfei,
  ai360,
  openRouter,
  aiProxyLibrary,
  fastGpt,
  tencent,
  gemini,
  moonshot,
  zhipuV4,
  perplexity,
  lingYiWanWu,
  cohere,
  miniMax,
  dify,
  jina,
  cloudflare,
  siliconFlow,
  mistral,
  deepSeek,
  mokaAi,
  vertex,
  bedrock,
  volcEngine,
  baiduV2,
  xinference,
  xai,
  submodel,
  coze,
  replicate,
  palm,
  codex,
  midjourneyProxy,
  midjourneyProxyPlus,
  suno,
  sora,
  kling,
  jimeng,
  vidu,
  doubaoVideo,
];

const byType = new Map(providers.map((provider) => [provider.type, provider]));

export const supportedTypes: readonly number[] = [...byType.keys()];

export function providerOf(type: number): Provider | undefined {
  return byType.get(type);
}

export function isSupported(type: number): boolean {
  return byType.has(type);
}
