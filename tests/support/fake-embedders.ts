// Providers that make vectors in a form of their own: each takes its own words strictly, and answers as it does.
import { jsonOf, type ProviderFront, refusedText, startFront } from './provider-front.ts';
import { isObject } from './upstream-responses.ts';

export interface FakeEmbedder extends ProviderFront, AsyncDisposable {
  readonly taken: Record<string, unknown>[];
}

/** The vector of a text. */
export const vectorOf = (text: unknown): number[] => [String(text).length, 2, 2, 1];

type Body = Record<string, unknown>;

interface Embedder {
  type: number;
  key: string;
  other?: string;
  path: string;
  keyHeader?: string;
  /** Undefined: it is not so. */
  embed: (body: Body) => object | undefined;
  /** In its own words; missing: in OpenAI's. */
  refuses?: (message: string) => { kind: 'answer'; status: number; body: object };
}

const reports =
  (status: number, body: (message: string) => object): NonNullable<Embedder['refuses']> =>
  (message) => ({ kind: 'answer', status, body: body(message) });

function hasOnly(body: unknown, names: readonly string[]): body is Body {
  return isObject(body) && Object.keys(body).every((name) => names.includes(name));
}

function texts(value: unknown, most: number): string[] | undefined {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= most;
  return isList && value.every((text) => typeof text === 'string') ? value : undefined;
}

export const embedders = {
  vertex: {
    type: 41,
    key: 'g-key',
    other: 'global',
    path: '/v1/publishers/google/models/text-embedding-005:predict',
    keyHeader: 'x-goog-api-key',
    refuses: reports(400, (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } })),
    embed(body) {
      if (!hasOnly(body, ['instances', 'parameters'])) return undefined;
      const { instances, parameters } = body;
      if (parameters !== undefined && !hasOnly(parameters, ['outputDimensionality', 'autoTruncate'])) return undefined;
      if (!Array.isArray(instances) || !instances.every((row) => hasOnly(row, ['content', 'task_type', 'title']))) return undefined;
      const predictions = instances.map(({ content }: Body) => ({
        embeddings: { values: vectorOf(content), statistics: { token_count: 3, truncated: false } },
      }));
      return { predictions, metadata: { billableCharacterCount: 9 } };
    },
  },
  minimax: {
    type: 35,
    key: 'mm-key',
    path: '/v1/embeddings',
    refuses: reports(200, (message) => ({ vectors: null, base_resp: { status_code: 2013, status_msg: message } })),
    embed(body) {
      const requested = texts(body['texts'], 4096);
      if (!hasOnly(body, ['model', 'texts', 'type']) || requested === undefined || !['db', 'query'].includes(String(body['type'])))
        return undefined;
      return { vectors: requested.map(vectorOf), total_tokens: 3 * requested.length, base_resp: { status_code: 0, status_msg: 'success' } };
    },
  },
  dashscope: {
    type: 17,
    key: 'ali-key',
    path: '/api/v1/services/embeddings/text-embedding/text-embedding',
    refuses: reports(400, (message) => ({ code: 'InvalidParameter', message, request_id: 'r1' })),
    embed(body) {
      const { input, parameters = {} } = body;
      if (!hasOnly(body, ['model', 'input', 'parameters']) || !hasOnly(input, ['texts'])) return undefined;
      if (!hasOnly(parameters, ['dimension', 'text_type', 'instruct', 'output_type'])) return undefined;
      const requested = texts(input['texts'], 10);
      if (requested === undefined) return undefined;
      const embeddings = requested.map((text, text_index) => ({ text_index, embedding: vectorOf(text) })).toReversed();
      return { output: { embeddings }, usage: { total_tokens: 3 * requested.length }, request_id: 'r1' };
    },
  },
  qianfan: {
    type: 46,
    key: 'bd-key',
    path: '/v2/embeddings',
    embed(body) {
      const requested = texts(body['input'], 16);
      if (requested === undefined || typeof body['model'] !== 'string') return undefined;
      const data = requested.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }));
      return {
        id: 'e1',
        object: 'embedding_list',
        created: 1,
        model: body['model'],
        data,
        usage: { prompt_tokens: 3 * requested.length, total_tokens: 3 * requested.length },
      };
    },
  },
} as const satisfies Record<string, Embedder>;

export type EmbedderName = keyof typeof embedders;

export async function startFakeEmbedder(name: EmbedderName, upstreamUrl: string): Promise<FakeEmbedder> {
  const { type, key, other = '', path, keyHeader, embed, refuses }: Embedder = embedders[name];
  const taken: Body[] = [];
  const front = await startFront(upstreamUrl, ({ method, path: requested, headers, body }) => {
    const given = keyHeader === undefined ? headers.authorization : `Bearer ${String(headers[keyHeader])}`;
    if (given !== `Bearer ${key}`) return refused(401, 'no such key');
    if (method !== 'POST' || requested !== path) return refused(404, `nothing at ${requested}`);
    const reported = jsonOf(body);
    taken.push(reported);
    const text = JSON.stringify(reported);
    if (text.includes(refusedText)) return refuses?.(refusedText) ?? refused(400, refusedText);
    const answer = embed(reported);
    return answer === undefined ? refused(400, 'not so') : { kind: 'answer', status: 200, body: answer };
  });
  return { ...front, channel: { type, key, other }, taken, [Symbol.asyncDispose]: () => front.close() };
}

function refused(status: number, message: string) {
  return { kind: 'answer' as const, status, body: { error: { message, type: 'invalid_request_error', code: String(status) } } };
}
