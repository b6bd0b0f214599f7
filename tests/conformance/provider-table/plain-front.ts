// Front of the fake upstream for a provider with an API of OpenAI, Claude or Gemini: checks key and paths, rejects unknown fields, and
// reports errors in the provider's format.
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, startFront } from '#tests/support/provider-front.ts';
import { failures, modelOf, pathsOf, refusedFields } from './facts.ts';

/** Where the fake upstream has what a provider has at an address of its own. */
const shared: Readonly<Record<string, string>> = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  embeddings: '/v1/embeddings',
  // What it answers is a conversation's answer.
  fim: '/v1/chat/completions',
  images: '/v1/images/generations',
  image_edits: '/v1/images/edits',
  image_variations: '/v1/images/variations',
  moderations: '/v1/moderations',
  rerank: '/v1/rerank',
  speech: '/v1/audio/speech',
  transcriptions: '/v1/audio/transcriptions',
  translations: '/v1/audio/translations',
  responses: '/v1/responses',
  claude: '/v1/messages',
};

interface PlainProvider {
  type: number;
  key: string;
  other?: string;
  /** Behind the front's address, in the channel's. */
  base?: string;
  /** The key is where it belongs. */
  isKeyed(headers: IncomingHttpHeaders, kind: string): boolean;
}

const bearer = (headers: IncomingHttpHeaders) => headers.authorization === 'Bearer sk-key' && headers['x-api-key'] === undefined;
const claude = (headers: IncomingHttpHeaders) =>
  headers['x-api-key'] === 'sk-key' && headers['anthropic-version'] === '2023-06-01' && headers.authorization === undefined;

const keys: Readonly<Record<number, Partial<PlainProvider>>> = {
  3: { isKeyed: (headers) => headers['api-key'] === 'sk-key' && headers.authorization === undefined },
  8: { base: '/any?m={model}' },
  14: { isKeyed: claude },
  16: { key: 'id1.secret1', isKeyed: isSignedByZhipu },
  17: {
    other: 'plugin-1',
    isKeyed: (headers, kind) => (kind === 'claude' ? claude(headers) : bearer(headers)) && headers['x-dashscope-plugin'] === 'plugin-1',
  },
  20: { isKeyed: (headers) => bearer(headers) && headers['x-title'] !== undefined },
  24: { isKeyed: (headers) => headers['x-goog-api-key'] === 'sk-key' && headers.authorization === undefined },
  26: {
    key: 'id1.secret1',
    isKeyed: (headers, kind) => (kind === 'claude' ? headers['x-api-key'] !== undefined : isSignedByZhipu(headers)),
  },
  39: { other: 'acct' },
  46: { key: 'sk-key|app-1', isKeyed: (headers) => bearer(headers) && headers['appid'] === 'app-1' },
};

/** https://docs.bigmodel.cn/cn/guide/start/quick-start */
function isSignedByZhipu({ authorization = '' }: IncomingHttpHeaders): boolean {
  const [head = '', claims = '', signature = ''] = authorization.split('.');
  const { api_key: id, exp, timestamp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const { alg, sign_type: type } = JSON.parse(Buffer.from(head, 'base64url').toString());
  const signed = createHmac('sha256', 'secret1').update(`${head}.${claims}`).digest('base64url');
  return id === 'id1' && alg === 'HS256' && type === 'SIGN' && exp > timestamp && signed === signature;
}

export function startPlain(type: number): (upstreamUrl: string) => Promise<ProviderFront> {
  const provider: PlainProvider = {
    type,
    key: 'sk-key',
    isKeyed: (headers, kind) => (kind === 'claude' ? claude(headers) : bearer(headers)),
    ...keys[type],
  };
  return async (upstreamUrl) => {
    const front = await startFront(upstreamUrl, (request) => judge(request, provider));
    const { key, other = '', base = '' } = provider;
    return { ...front, url: `${front.url}${base}`, channel: { type, key, other } };
  };
}

function judge(request: FrontedRequest, { type, isKeyed }: PlainProvider): Judgement {
  const { method, path, headers, body } = request;
  const refused = (status: number, message: string) => reported(type, status, message);
  const kind = kindAt(type, path);
  if (method !== 'POST' || kind === null) return refused(404, `nothing at ${path}`);
  if (!isKeyed(headers, kind)) return refused(401, 'the key is not where it belongs');
  const media = headers['content-type'] ?? '';
  const requested = media.startsWith('multipart/') ? {} : jsonOf(body);
  const fields = kind === 'fim' ? [...(refusedFields[type] ?? []), 'messages', 'stream_options'] : (refusedFields[type] ?? []);
  const unknown = fields.filter((field) => field in requested);
  if (unknown.length > 0) return refused(422, `unknown: ${unknown.join()}`);
  const version = headers['anthropic-version'];
  return {
    kind: 'pass',
    path: kind === 'gemini' ? path : kind === 'count_tokens' ? path : (shared[kind] ?? path),
    body: kind === 'fim' ? asChat(requested) : body,
    headers: { 'content-type': media, ...(version === undefined ? {} : { 'anthropic-version': String(version) }) },
    // Claude's format is the same at every host.
    relay: (answer, response) => void relay(kind === 'claude' ? 0 : type, answer, response),
  };
}

/** The fake upstream responds to chats; Mistral's streams always report usage. */
function asChat(requested: Readonly<Record<string, unknown>>): Buffer {
  const options = requested['stream'] === true ? { stream_options: { include_usage: true } } : {};
  return Buffer.from(JSON.stringify({ ...requested, ...options, messages: [{ role: 'user', content: requested['prompt'] }] }));
}

function kindAt(type: number, path: string): string | null {
  if (type === 24) return /^\/v1beta\/models\/[^/?:]+:(?:\w+)(?:\?alt=sse)?$/.test(path) ? 'gemini' : null;
  // There is one address for everything, which has the model's name in it.
  if (type === 8) return kindOfModel(/^\/any\?m=([^&]+)$/.exec(path)?.[1] ?? '');
  for (const [kind, template] of pathsOf(type)) {
    const pattern = template.split('{model}').map((part) => RegExp.escape(part));
    if (new RegExp(`^${pattern.join('[^/?&]+')}$`).test(path)) return kind;
  }
  return null;
}

function kindOfModel(name: string): string | null {
  return Object.entries(modelOf).find(([, model]) => model === name)?.[0] ?? null;
}

function reported(type: number, status: number, message: string): Extract<Judgement, { kind: 'answer' }> {
  const own = failures[type]?.(message);
  const body = { error: { message, type: 'invalid_request_error', param: null, code: null } };
  return { kind: 'answer', status: own?.status ?? status, body: own?.body ?? body };
}

async function relay(type: number, answer: IncomingMessage, response: ServerResponse): Promise<void> {
  const status = answer.statusCode ?? 502;
  if (status < 400 || failures[type] === undefined) {
    response.writeHead(status, { 'content-type': answer.headers['content-type'] ?? 'application/json' });
    answer.pipe(response);
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(Buffer.from(chunk));
  const { message } = Object(jsonOf(Buffer.concat(chunks))['error']);
  const own = reported(type, status, String(message));
  response.writeHead(own.status, { 'content-type': 'application/json' }).end(JSON.stringify(own.body));
}
