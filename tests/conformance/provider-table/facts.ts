// Facts about every provider type, independent of the records in `server/providers/`: existence, capabilities, paths, and error formats.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { readModelLists, readUrlRows } from '../provider-vectors.ts';

const Type = z.object({ id: z.int(), name: z.string(), base_url: z.string(), balance: z.enum(['yes', 'later']).nullable() });
export type ProviderType = z.infer<typeof Type>;

export const providerTypes: readonly ProviderType[] = z
  .array(Type)
  .parse(JSON.parse(readFileSync(new URL('../../fixtures/provider-types.json', import.meta.url), 'utf8')));

/** What a type can do by the facts: kinds of call, `balance`, `models`. */
export function capabilitiesOf({ id, balance }: ProviderType): string[] {
  const calls = readUrlRows().filter(({ type, unsupported }) => type === id && unsupported !== true);
  const lists = readModelLists().some(({ channel }) => channel.type === id);
  return [...calls.map(({ mode }) => mode), ...(balance === null ? [] : ['balance']), ...(lists ? ['models'] : [])];
}

const openai = {
  image_edits: '/v1/images/edits',
  image_variations: '/v1/images/variations',
  transcriptions: '/v1/audio/transcriptions',
  translations: '/v1/audio/translations',
};
const azure = '/openai/deployments/{model}';
const version = '?api-version=2024-12-01-preview';

/** Of calls that the list of addresses does not have, behind the channel's own. */
const furtherPaths: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  1: { responses: '/v1/responses', count_tokens: '/v1/responses/input_tokens' },
  3: {
    responses: '/openai/v1/responses',
    image_edits: `${azure}/images/edits${version}`,
    transcriptions: `${azure}/audio/transcriptions${version}`,
    translations: `${azure}/audio/translations${version}`,
  },
  14: { count_tokens: '/v1/messages/count_tokens' },
  // The list has the first platform's.
  16: { chat: '/api/paas/v4/chat/completions', embeddings: '/api/paas/v4/embeddings' },
  17: { claude: '/apps/anthropic/v1/messages', completions: '/compatible-mode/v1/completions' },
  24: {},
  25: { claude: '/anthropic/v1/messages' },
  26: { claude: '/api/anthropic/v1/messages' },
  // The list has what was there until September 2026. https://docs.perplexity.ai/docs/agent-api/migrate-from-sonar/overview
  27: { chat: '/v1/responses' },
  35: { claude: '/anthropic/v1/messages' },
  40: { speech: '/v1/audio/speech', transcriptions: '/v1/audio/transcriptions' },
  // https://docs.mistral.ai/api/endpoint/fim
  42: { fim: '/v1/fim/completions' },
  43: { claude: '/anthropic/v1/messages' },
  53: { chat: '/v1/chat/completions' },
};

/** Templates of paths behind the channel's address, by kind of call or format. */
export function pathsOf(type: number): ReadonlyMap<string, string> {
  const base = providerTypes.find(({ id }) => id === type)?.base_url ?? '';
  const listed = readUrlRows().filter((row) => row.type === type && row.unsupported !== true && row.url !== undefined);
  const paths = listed.map(({ mode, model, base_url, url = '' }): [string, string] => {
    const root = base_url === '' ? base : base_url.includes('{') ? new URL(base_url).origin : base_url;
    return [type === 14 ? 'claude' : mode, url.slice(root.length).replaceAll(model, '{model}')];
  });
  const shared = type !== 3 && paths.some(([mode]) => mode === 'speech') ? openai : {};
  const others: Readonly<Record<string, string>> = { ...shared, ...furtherPaths[type] };
  return new Map([...paths, ...Object.entries(others)]);
}

/** Models by kind; the fake upstream knows some of them. */
export const modelOf: Readonly<Record<string, string>> = {
  chat: 'test-model',
  completions: 'test-completions',
  embeddings: 'test-embeddings',
  fim: 'test-fim',
  images: 'gpt-image-1',
  image_edits: 'gpt-image-1-mini',
  image_variations: 'dall-e-2',
  moderations: 'omni-moderation-latest',
  rerank: 'test-rerank',
  speech: 'gpt-4o-mini-tts',
  transcriptions: 'gpt-4o-transcribe',
  translations: 'whisper-1',
  count_tokens: 'test-model',
  realtime: 'gpt-realtime',
};

interface ReportedFailure {
  status?: number;
  body: object;
}

/** Error formats that differ from OpenAI's. */
export const failures: Readonly<Record<number, (message: string) => ReportedFailure>> = {
  // https://help.aliyun.com/zh/model-studio/error-code
  17: (message) => ({ body: { code: 'InvalidParameter', message, request_id: 'r1' } }),
  // https://openrouter.ai/docs/api-reference/errors
  20: (message) => ({ body: { error: { code: 400, message, metadata: { provider_name: 'Any' } }, user_id: 'u1' } }),
  // https://docs.bigmodel.cn/cn/api/api-code
  26: (message) => ({ body: { error: { code: '1210', message } } }),
  // https://platform.minimaxi.com/document/error-code
  35: (message) => ({ status: 200, body: { base_resp: { status_code: 2013, status_msg: message } } }),
  38: (message) => ({ body: { detail: message } }),
  // https://developers.cloudflare.com/workers-ai/platform/errors
  39: (message) => ({ body: { result: null, success: false, errors: [{ code: 5006, message }], messages: [] } }),
  // https://docs.siliconflow.cn/cn/faqs/error-code
  40: (message) => ({ body: { code: 20_015, message, data: null } }),
  42: (message) => ({ body: { object: 'error', message, type: 'invalid_request_error', param: null, code: '1210' } }),
  // https://cloud.baidu.com/doc/qianfan-api/s/Wm9cvy6rl
  46: (message) => ({ body: { error: { code: 'invalid_argument', message, type: 'invalid_request_error' }, id: 'as-1' } }),
  47: (message) => ({ body: { detail: message } }),
  // https://docs.x.ai/docs/key-information/debugging
  48: (message) => ({ body: { code: 'Client specified an invalid argument', error: message } }),
};

/** Fields of a conversation that are refused there. */
export const refusedFields: Readonly<Record<number, readonly string[]>> = {
  16: ['presence_penalty', 'frequency_penalty'],
  26: ['presence_penalty', 'frequency_penalty'],
  42: ['user', 'logit_bias', 'logprobs', 'top_logprobs', 'store', 'service_tier', 'top_k', 'seed', 'max_completion_tokens'],
};
