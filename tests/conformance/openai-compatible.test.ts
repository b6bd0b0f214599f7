// Every provider of the OpenAI shape against the provider vectors: address, headers and body of the call; answer, stream
// and errors on the way back.
import { describe, expect, it } from 'vitest';
import type { CallKind, CallKindName } from '#server/kinds/call-kind.ts';
import { callKinds } from '#server/kinds/registry.ts';
import { callAddress } from '#server/formats/call-address.ts';
import { callParameters } from '#server/formats/openai-chat/check-request.ts';
import { errorIn } from '#server/formats/openai-chat/response-errors.ts';
import { clientDialects } from '#server/formats/registry.ts';
import { authorizeRequest, type UpstreamRequest } from '#server/exchange/build-request.ts';
import { routedRequest } from '#tests/support/routed-request.ts';
import { createStreamTransform, isUsageOnly } from '#server/formats/openai-chat/stream-transform.ts';
import { readTokenUsage, writeTokenUsage } from '#server/formats/openai-chat/token-usage.ts';
import { isSupported, providerOf, providers } from '#server/providers/registry.ts';
import { modelListQuestions } from '#server/exchange/read-model-list.ts';
import { parseUpstreamError } from '#server/exchange/upstream-error.ts';
import { noTokens } from '#shared/token-usage.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { noSender } from '#tests/support/no-sender.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { differences, isObject, readModelLists, readUrlRows, readVectors, type Vector } from './provider-vectors.ts';
import { problemText } from '#tests/support/problem-text.ts';

const files = [
  'openai',
  'openai-compatible',
  'azure',
  'deepseek',
  'mistral',
  'xai',
  'perplexity',
  'openrouter',
  'minimax',
  'volcengine',
  'baidu-v2',
  'jina',
  'mokaai',
  'cloudflare',
  'ollama',
  'ali',
  'zhipu-v4',
  'cohere',
  'siliconflow',
  'xinference',
];

/** Vectors of calls that this server offers; those of later protocols name it. */
function kindOf(vector: Vector): CallKind | null {
  if (vector.name.startsWith('later: native') || vector.name === 'later: rerank (native)') return null;
  const path = vector.request.path.split('?')[0];
  // Its conversations are a format of their own.
  if (path === '/v1/chat/completions') return vector.channel.type === 34 ? null : callKinds.chat;
  if (path === '/v1/embeddings') return callKinds.embeddings;
  // Ali's pictures are a task there, whose first response has none.
  if (path === '/v1/images/generations') return vector.channel.type === 17 ? null : callKinds.images;
  return path === '/v1/rerank' ? callKinds.rerank : null;
}

/** The vectors have what Perplexity took until 27 September 2026. https://docs.perplexity.ai/docs/agent-api/migrate-from-sonar/overview */
const earlierFormats: Readonly<Record<number, object>> = { 27: { formats: ['openai-chat'] } };

function channelOf({ channel: listed }: Vector) {
  const earlier = earlierFormats[listed.type];
  const channel = earlier === undefined ? listed : { ...listed, setting: { ...listed.setting, ...earlier } };
  return buildPreparedChannel({
    ...channel,
    model_mapping: channel.model_mapping === undefined ? '' : JSON.stringify(channel.model_mapping),
    param_override: channel.param_override === undefined ? '' : JSON.stringify(channel.param_override),
    setting: channel.setting === undefined ? '' : JSON.stringify(channel.setting),
  });
}

async function requestOf(vector: Vector, kind: CallKind): Promise<UpstreamRequest> {
  const { body, path } = vector.request;
  const request = await routedRequest({
    client: clientDialects['openai-chat'],
    clientHeaders: {},
    settings: defaultSettings,
    kind,
    channel: channelOf(vector),
    body,
    rawText: JSON.stringify(body),
    originModel: String(body.model),
    isStream: body.stream === true,
    forceUsage: true,
    version: new URLSearchParams(path.split('?')[1]).get('api-version') ?? undefined,
  });
  return authorizeRequest(request, { now: (vector.context?.now_unix ?? 1_700_000_000) * 1000, sender: noSender });
}

/** The body that the client gets. */
function answerOf(
  { kind, route, upstreamModel }: Pick<UpstreamRequest, 'route' | 'upstreamModel'> & { kind: CallKind },
  request: Vector['request']['body'],
  { text, counting = 0 }: { text: string; counting?: number | undefined },
): string {
  const client = clientDialects['openai-chat'];
  const writer = { model: upstreamModel, requestId: '', createdAt: 0, wantsUsage: false, promptEstimate: 0 };
  const address = callAddress({ url: '/', headers: new Headers() }, { model: undefined, verb: undefined });
  const responseFields = kind.clientCall(client)?.responseFields?.(request, address) ?? request;
  const decoded = kind.decode({ client, route, upstreamModel, body: Buffer.from(text), responseFields, writer });
  if (decoded.kind !== 'whole') throw new Error('It is no response');
  // Tokens that a provider does not report are counted.
  const counted = kind === callKinds.rerank && decoded.usage === null ? { ...noTokens, input: counting } : null;
  return decoded.body(counted).toString();
}

describe.each(files)('%s', (file) => {
  const vectors = readVectors(file).flatMap((vector) => {
    const kind = kindOf(vector);
    return kind === null ? [] : [{ name: vector.name, vector, kind }];
  });

  it('has vectors', () => expect(vectors).not.toEqual([]));

  describe.each(vectors)('$name', ({ vector, kind }) => {
    it('sends the expected call', async () => {
      const request = await requestOf(vector, kind);
      expect(`${request.origin}${request.path}`).toBe(vector.upstream.url);
      expect(differences(request.headers, vector.upstream.headers, false)).toEqual([]);
      const sent: unknown = JSON.parse(request.body.toString());
      // What the client says explicitly stays, also where it is the default.
      if (isObject(sent) && sent.stream === false) delete sent.stream;
      expect(differences(sent, vector.upstream.body, true)).toEqual([]);
    });

    const { upstream_response: upstream, error, response, response_chunks: chunks } = vector;
    const text = typeof upstream.body === 'string' ? upstream.body : JSON.stringify(upstream.body);

    if (error !== undefined)
      it('reports the expected error', async () => {
        const channel = channelOf(vector);
        const failure =
          upstream.status === 200
            ? errorIn(text, (await requestOf(vector, kind)).route.provider)
            : parseUpstreamError({ status: upstream.status, text, channel, now: 0 });
        expect(failure?.status).toBe(error.status);
        expect({ message: failure?.message, type: failure?.type, param: failure?.param, code: failure?.code }).toEqual(error.error);
      });

    if (response !== undefined)
      it('gives the client the expected answer', async () => {
        const { route, upstreamModel } = await requestOf(vector, kind);
        expect(errorIn(text, route.provider)).toBeNull();
        const answer: unknown = JSON.parse(
          answerOf({ kind, route, upstreamModel }, vector.request.body, { text, counting: vector.context?.prompt_tokens }),
        );
        const usage = isObject(answer) ? readTokenUsage(answer.usage, route.provider.responses) : null;
        if (vector.usage !== undefined) expectUsage(usage, vector.usage);
        expect(differences(answer, withoutZeroCompletion(response.body), false)).toEqual([]);
      });

    if (chunks !== undefined)
      it('gives the client the expected stream', async () => {
        const { route, upstreamModel } = await requestOf(vector, kind);
        const isUsageHidden = !callParameters(vector.request.body).wantsUsage;
        const transform = createStreamTransform({ route, upstreamModel, isUsageHidden });
        const events = (upstream.sse ?? []).filter((line) => line.startsWith('data: ')).map((line) => line.slice(6));
        const data = events.filter((event) => event !== '[DONE]');
        const usages = data
          .map((event) => readTokenUsage(JSON.parse(event).usage, route.provider.responses))
          .filter((usage) => usage !== null);

        const sent =
          transform === null
            ? data.filter((event) => !(isUsageHidden && isUsageOnly(event)))
            : [...data.flatMap((event) => transform.event(event)), ...transform.end()];
        let expected = chunks.filter((chunk) => chunk !== '[DONE]');
        // A usage chunk that the upstream does not send is the relay's own.
        if (usages.length === 0) expected = expected.filter((chunk) => !isUsageOnly(JSON.stringify(chunk)));
        else if (vector.usage !== undefined) expectUsage(usages.at(-1) ?? null, vector.usage);
        expect(
          differences(
            sent.map((event): unknown => JSON.parse(event)),
            expected,
            false,
          ),
        ).toEqual([]);
      });
  });
});

function expectUsage(usage: ReturnType<typeof readTokenUsage>, expected: Record<string, unknown>): void {
  expect(usage).not.toBeNull();
  if (usage === null) return;
  const { prompt_cache_hit_tokens: _hit, completion_tokens_details: details, ...listed } = expected;
  expect(differences(writeTokenUsage(usage), listed, false)).toEqual([]);
  if (isObject(details)) expect(usage.reasoning).toBe(details.reasoning_tokens ?? 0);
}

/** The vectors write the zero out that embeddings do not have. */
function withoutZeroCompletion(body: unknown): unknown {
  if (!isObject(body) || !isObject(body.usage) || body.usage.completion_tokens !== 0) return body;
  const { completion_tokens: _zero, ...usage } = body.usage;
  return { ...body, usage };
}

const urlKinds = new Map<string, CallKindName>([
  ['chat', 'chat'],
  ['embeddings', 'embeddings'],
  ['moderations', 'moderations'],
  ['images', 'images'],
  ['rerank', 'rerank'],
  ['speech', 'speech'],
]);

function kindNamed(mode: string): CallKindName {
  const kind = urlKinds.get(mode);
  if (kind === undefined) throw new Error(`No kind of call is named ${mode}`);
  return kind;
}

/** Of types whose keys have parts. */
const keys: ReadonlyMap<number, string> = new Map([
  [23, '1|id1|secret1'],
  [26, 'id1.secret1'],
]);

describe('addresses of every type', () => {
  // Baidu's first platform, and Cohere's conversations and embeddings, have formats and tests of their own.
  // Pictures of Zhipu, MiniMax, SiliconFlow, VolcEngine and Baidu, embeddings of Tencent, MiniMax and Baidu,
  // rerankings of Ali and Baidu, and sounds of Ali, Google, Zhipu, MiniMax, SiliconFlow, VolcEngine and Mistral came later than the list.
  // Zhipu's first platform has become the next one, and Perplexity's chat completions its Agent API, which has a file of its own.
  const isLater = ({ type, mode }: { type: number; mode: string }) =>
    type === 15 ||
    type === 16 ||
    (type === 27 && mode === 'chat') ||
    // Whatever model is named, the list has the only one that PaLM had.
    (type === 11 && mode === 'chat') ||
    (type === 34 && (mode === 'chat' || mode === 'embeddings')) ||
    (mode === 'images' && [26, 35, 40, 45, 46].includes(type)) ||
    (mode === 'embeddings' && [23, 35, 46].includes(type)) ||
    (mode === 'rerank' && [17, 46].includes(type)) ||
    (mode === 'speech' && [17, 24, 26, 35, 40, 42, 45].includes(type));
  const rows = readUrlRows().filter((row) => isSupported(row.type) && urlKinds.has(row.mode) && !isLater(row));

  it('cover every provider but those of later years, and who hosts formats of others, which has files of its own', () => {
    const covered = new Set(rows.map((row) => row.type));
    const uncovered = providers.map((provider) => provider.type).filter((type) => !covered.has(type));
    expect(new Set(uncovered)).toEqual(new Set([15, 16, 18, 33, 41, 49, 50, 51, 52, 53, 54, 55, 56, 57]));
  });

  it.each(rows)('type $type $mode', ({ type, mode, model, base_url, other, url, headers, unsupported: isUnsupported }) => {
    // Azure has none: the original posted to a path that answers 404.
    const unsupported = isUnsupported === true || (type === 3 && ['moderations', 'rerank'].includes(mode));
    const channel = buildPreparedChannel({ type, base_url, other, key: keys.get(type) ?? 'sk-key' });
    const route = channel.route(clientDialects['openai-chat'], kindNamed(mode), model);
    // Task providers serve nothing else, and third-party proxies have no built-in address.
    const isOfTasks = providerOf(type)?.tasks !== undefined;
    expect(problemText(channel)).toBe(isOfTasks ? 'A base URL is needed' : '');
    if (unsupported || isOfTasks) {
      expect(route).toBeNull();
      return;
    }
    expect(`${route?.origin}${route?.path}`).toBe(url);
    // The signed token depends on the time; its own vectors check it.
    const { authorization, ...others } = headers ?? {};
    const expected = type === 26 ? others : { ...others, ...(authorization === undefined ? {} : { authorization }) };
    expect(differences(route?.format.headers(false), expected, false)).toEqual([]);
  });
});

describe('addresses of sounds that are written down', () => {
  it.each([
    [1, '', 'https://api.openai.com/v1/audio/transcriptions'],
    [1, 'https://api.groq.com/openai', 'https://api.groq.com/openai/v1/audio/transcriptions'],
    [
      3,
      'https://r.openai.azure.com',
      'https://r.openai.azure.com/openai/deployments/whisper-1/audio/transcriptions?api-version=2024-12-01-preview',
    ],
    [8, 'https://own.example/hear', 'https://own.example/hear'],
    [14, '', null],
    [26, '', 'https://open.bigmodel.cn/api/paas/v4/audio/transcriptions'],
    [40, '', 'https://api.siliconflow.cn/v1/audio/transcriptions'],
    [42, '', 'https://api.mistral.ai/v1/audio/transcriptions'],
    [47, 'http://xinf:9997', 'http://xinf:9997/v1/audio/transcriptions'],
    [48, '', null],
  ])('type %i at %s', (type, base_url, url) => {
    const channel = buildPreparedChannel({ type, base_url, key: keys.get(type) ?? 'sk-key' });
    const route = channel.route(clientDialects['openai-chat'], 'transcriptions', 'whisper-1');
    expect(route === null ? null : `${route.origin}${route.path}`).toBe(url);
  });
});

describe('model lists', () => {
  // The list is Gemini's own, not that of its OpenAI-compatible service.
  const lists = readModelLists()
    .filter(({ channel }) => isSupported(channel.type))
    .filter(({ channel, calls }) => channel.type !== 24 || calls[0]?.request.url.includes('/openai/') !== true);
  it.each(lists)('type $channel.type', async ({ channel, calls }) => {
    const [question] = modelListQuestions(buildPreparedChannel(channel), { now: 0, sender: noSender }) ?? [];
    const { origin, path } = (await question?.request) ?? {};
    expect(`${origin}${path?.replace(/\?.*/, '')}`).toBe(calls[0]?.request.url);
  });
});
