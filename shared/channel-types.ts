// Kinds of upstream that a channel can have, for the editor. The server's provider records implement their protocols; a test checks that both agree.
// Default models come from `GET /api/models`.

/** What the channel's free field (`other`) is for; types without it do not show it. */
export type OtherField = 'api_version' | 'plugin' | 'account_id' | 'regions' | 'bot_id' | 'spark_version' | 'library_id' | 'dify_app';
/** Keys of several kinds, or of many parts. */
export type KeyKind = 'google' | 'aws' | 'codex';
/** Hint about the key, if its provider has several things of that name or needs none; the texts are translations. */
export type KeyHint = 'azure' | 'cloudflare' | 'ark' | 'ark_videos' | 'dify' | 'coze' | 'unasked' | 'drawing';
/** Something to know before using the type; the texts are translations. */
export type TypeNotice =
  | 'azure_deployment'
  | 'full_url'
  | 'private_deployment'
  | 'drawing_proxy'
  | 'suno_api'
  | 'ollama_options'
  | 'spark_sockets'
  | 'perplexity_agent'
  | 'dify_applications'
  | 'coze_bots'
  | 'replicate_models'
  | 'palm_ended'
  | 'codex_accounts'
  | 'sora_ended'
  | 'hunyuan_platform'
  | 'chatglm_ended';

export interface ChannelType {
  type: number;
  /** Name that is the same in every language. */
  name: string;
  /** What Chinese readers call it, where that differs. */
  nameZh?: string;
  /** A colour of the console's palette, to distinguish types. */
  color: string;
  /** Built-in address; empty: the channel must name one. */
  baseUrl: string;
  /** Shown in its place: an example, or what it is where the key has a say in it. */
  baseUrlHint?: string;
  /** What the key may be, where it is more than one opaque text: its parts by name, between them what stands there. */
  keyForms?: readonly string[];
  keyKind?: KeyKind;
  keyHint?: KeyHint;
  other?: OtherField;
  notice?: TypeNotice;
  /** `openai_organization` is used. */
  hasOrganization?: boolean;
  /** The provider lists its models. */
  listsModels?: boolean;
  /** The provider reports the balance of the account. */
  reportsBalance?: boolean;
  /** The vendor has ended the service behind the built-in address; `notice` gives the date and the successor. */
  hasEnded?: true;
  /** It only takes orders of drawings, music or videos. Each costs and takes minutes, so nothing of it is tested. */
  isUntested?: boolean;
}

/** In the order in which the editor offers them. */
export const channelTypes: readonly ChannelType[] = [
  {
    type: 1,
    name: 'OpenAI',
    color: 'green',
    baseUrl: 'https://api.openai.com',
    hasOrganization: true,
    listsModels: true,
    reportsBalance: true,
  },
  { type: 14, name: 'Anthropic Claude', color: 'indigo', baseUrl: 'https://api.anthropic.com', listsModels: true },
  { type: 24, name: 'Google Gemini', color: 'orange', baseUrl: 'https://generativelanguage.googleapis.com', listsModels: true },
  {
    type: 41,
    name: 'Vertex AI',
    color: 'blue',
    baseUrl: 'https://aiplatform.googleapis.com',
    keyKind: 'google',
    other: 'regions',
  },
  {
    type: 33,
    name: 'AWS Bedrock',
    color: 'indigo',
    baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com',
    baseUrlHint: 'https://bedrock-runtime.{region}.amazonaws.com',
    keyKind: 'aws',
    listsModels: true,
  },
  { type: 43, name: 'DeepSeek', color: 'blue', baseUrl: 'https://api.deepseek.com', listsModels: true, reportsBalance: true },
  { type: 8, name: 'Custom', nameZh: '自定义渠道', color: 'pink', baseUrl: '', notice: 'full_url', reportsBalance: true },
  { type: 3, name: 'Azure OpenAI', color: 'teal', baseUrl: '', keyHint: 'azure', other: 'api_version', notice: 'azure_deployment' },
  {
    type: 4,
    name: 'Ollama',
    color: 'gray',
    baseUrl: 'http://localhost:11434',
    keyHint: 'unasked',
    notice: 'ollama_options',
    listsModels: true,
  },
  { type: 39, name: 'Cloudflare', color: 'gray', baseUrl: 'https://api.cloudflare.com', keyHint: 'cloudflare', other: 'account_id' },
  {
    type: 15,
    name: 'Baidu ERNIE',
    nameZh: '百度文心千帆',
    color: 'blue',
    baseUrl: 'https://aip.baidubce.com',
    keyForms: ['APIKey|SecretKey'],
  },
  {
    type: 46,
    name: 'Baidu Qianfan V2',
    nameZh: '百度文心千帆V2',
    color: 'blue',
    baseUrl: 'https://qianfan.baidubce.com',
    keyForms: ['APIKey', 'APIKey|AppId'],
    listsModels: true,
  },
  {
    type: 17,
    name: 'Alibaba Qwen',
    nameZh: '阿里通义千问',
    color: 'orange',
    baseUrl: 'https://dashscope.aliyuncs.com',
    other: 'plugin',
    listsModels: true,
  },
  {
    type: 26,
    name: 'Zhipu GLM-4V',
    nameZh: '智谱 GLM-4V',
    color: 'violet',
    baseUrl: 'https://open.bigmodel.cn',
    keyForms: ['id.secret'],
    listsModels: true,
  },
  {
    type: 23,
    name: 'Tencent Hunyuan',
    nameZh: '腾讯混元',
    color: 'teal',
    baseUrl: 'https://hunyuan.tencentcloudapi.com',
    keyForms: ['AppId|SecretId|SecretKey', 'SecretId|SecretKey'],
    notice: 'hunyuan_platform',
    hasEnded: true,
  },
  {
    type: 18,
    name: 'iFlytek Spark',
    nameZh: '讯飞星火认知',
    color: 'blue',
    baseUrl: 'https://spark-api-open.xf-yun.com',
    keyForms: ['APPID|APISecret|APIKey', 'APIPassword'],
    other: 'spark_version',
    notice: 'spark_sockets',
  },
  {
    type: 16,
    name: 'Zhipu ChatGLM',
    nameZh: '智谱 ChatGLM',
    color: 'violet',
    baseUrl: 'https://open.bigmodel.cn',
    keyForms: ['id.secret'],
    notice: 'chatglm_ended',
    hasEnded: true,
    listsModels: true,
  },
  { type: 47, name: 'Xinference', color: 'blue', baseUrl: '', baseUrlHint: 'http://localhost:9997', keyHint: 'unasked', listsModels: true },
  { type: 25, name: 'Moonshot', color: 'green', baseUrl: 'https://api.moonshot.cn', listsModels: true, reportsBalance: true },
  { type: 20, name: 'OpenRouter', color: 'green', baseUrl: 'https://openrouter.ai/api', listsModels: true, reportsBalance: true },
  { type: 19, name: '360', nameZh: '360 智脑', color: 'blue', baseUrl: 'https://api.360.cn', listsModels: true },
  { type: 31, name: '01.AI', nameZh: '零一万物', color: 'green', baseUrl: 'https://api.lingyiwanwu.com', listsModels: true },
  { type: 35, name: 'MiniMax', color: 'green', baseUrl: 'https://api.minimax.chat', listsModels: true },
  { type: 34, name: 'Cohere', color: 'violet', baseUrl: 'https://api.cohere.ai', listsModels: true },
  {
    type: 21,
    name: 'AI Proxy Library',
    nameZh: '知识库：AI Proxy',
    color: 'violet',
    baseUrl: 'https://api.aiproxy.io',
    other: 'library_id',
  },
  {
    type: 37,
    name: 'Dify',
    color: 'teal',
    baseUrl: 'https://api.dify.ai',
    keyHint: 'dify',
    other: 'dify_app',
    notice: 'dify_applications',
  },
  {
    type: 49,
    name: 'Coze',
    nameZh: '扣子 Coze',
    color: 'blue',
    baseUrl: 'https://api.coze.cn',
    keyHint: 'coze',
    other: 'bot_id',
    notice: 'coze_bots',
  },
  { type: 38, name: 'Jina', color: 'blue', baseUrl: 'https://api.jina.ai' },
  { type: 40, name: 'SiliconCloud', color: 'violet', baseUrl: 'https://api.siliconflow.cn', listsModels: true, reportsBalance: true },
  { type: 42, name: 'Mistral AI', color: 'blue', baseUrl: 'https://api.mistral.ai', listsModels: true },
  { type: 27, name: 'Perplexity', color: 'teal', baseUrl: 'https://api.perplexity.ai', notice: 'perplexity_agent', listsModels: true },
  {
    type: 22,
    name: 'FastGPT',
    nameZh: '知识库：FastGPT',
    color: 'blue',
    baseUrl: 'https://fastgpt.run/api/openapi',
    keyForms: ['APIKey', 'APIKey-AppId'],
    notice: 'private_deployment',
    listsModels: true,
  },
  { type: 44, name: 'MokaAI M3E', nameZh: '嵌入模型：MokaAI M3E', color: 'violet', baseUrl: 'https://api.moka.ai' },
  {
    type: 45,
    name: 'Volcengine Ark, Doubao',
    nameZh: '字节火山方舟、豆包、DeepSeek通用',
    color: 'blue',
    baseUrl: 'https://ark.cn-beijing.volces.com',
    keyForms: ['APIKey', 'AppId|AccessToken'],
    keyHint: 'ark',
  },
  { type: 48, name: 'xAI', color: 'blue', baseUrl: 'https://api.x.ai', listsModels: true },
  {
    type: 57,
    name: 'Codex (OpenAI OAuth)',
    color: 'blue',
    baseUrl: 'https://chatgpt.com',
    keyKind: 'codex',
    notice: 'codex_accounts',
  },
  {
    type: 11,
    name: 'Google PaLM2',
    color: 'orange',
    baseUrl: 'https://generativelanguage.googleapis.com',
    notice: 'palm_ended',
    hasEnded: true,
  },
  { type: 56, name: 'Replicate', color: 'gray', baseUrl: 'https://api.replicate.com', notice: 'replicate_models' },
  { type: 2, name: 'Midjourney Proxy', color: 'blue', baseUrl: '', keyHint: 'drawing', notice: 'drawing_proxy', isUntested: true },
  { type: 5, name: 'Midjourney Proxy Plus', color: 'blue', baseUrl: '', keyHint: 'drawing', notice: 'drawing_proxy', isUntested: true },
  { type: 36, name: 'Suno API', color: 'violet', baseUrl: '', notice: 'suno_api', isUntested: true },
  {
    type: 55,
    name: 'Sora',
    color: 'green',
    baseUrl: 'https://api.openai.com',
    hasOrganization: true,
    notice: 'sora_ended',
    hasEnded: true,
    isUntested: true,
  },
  {
    type: 50,
    name: 'Kling',
    nameZh: '可灵',
    color: 'green',
    baseUrl: 'https://api.klingai.com',
    keyForms: ['APIKey', 'AccessKey|SecretKey'],
    isUntested: true,
  },
  {
    type: 51,
    name: 'Jimeng',
    nameZh: '即梦',
    color: 'blue',
    baseUrl: 'https://visual.volcengineapi.com',
    keyForms: ['AccessKeyId|SecretAccessKey'],
    isUntested: true,
  },
  { type: 52, name: 'Vidu', color: 'violet', baseUrl: 'https://api.vidu.cn', isUntested: true },
  {
    type: 54,
    name: 'Doubao Seedance',
    nameZh: '豆包视频',
    color: 'blue',
    baseUrl: 'https://ark.cn-beijing.volces.com',
    keyForms: ['APIKey'],
    keyHint: 'ark_videos',
    isUntested: true,
  },
  { type: 53, name: 'Submodel', color: 'blue', baseUrl: 'https://llm.submodel.ai', listsModels: true },
  { type: 6, name: 'OpenAIMax', color: 'gray', baseUrl: 'https://api.openaimax.com', listsModels: true },
  { type: 7, name: 'OhMyGPT', color: 'gray', baseUrl: 'https://api.ohmygpt.com', listsModels: true },
  { type: 9, name: 'AILS', color: 'gray', baseUrl: 'https://api.caipacity.com', listsModels: true },
  { type: 10, name: 'AIProxy', color: 'gray', baseUrl: 'https://api.aiproxy.io', listsModels: true, reportsBalance: true },
  { type: 12, name: 'API2GPT', color: 'gray', baseUrl: 'https://api.api2gpt.com', listsModels: true, reportsBalance: true },
  { type: 13, name: 'AIGC2D', color: 'gray', baseUrl: 'https://api.aigc2d.com', listsModels: true, reportsBalance: true },
];

const byType = new Map(channelTypes.map((entry) => [entry.type, entry]));

/** Undefined: no such type is offered. */
export function channelType(type: number): ChannelType | undefined {
  return byType.get(type);
}
