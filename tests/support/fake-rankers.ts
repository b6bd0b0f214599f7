// Providers with their own formats of reranking: each accepts its own fields strictly, and responds in its format.
import { jsonOf, type Judgement, type ProviderFront, refusedText, startFront } from './provider-front.ts';
import { isObject } from './upstream-responses.ts';

export interface FakeRanker extends ProviderFront, AsyncDisposable {
  readonly taken: Record<string, unknown>[];
}

type Body = Record<string, unknown>;

interface Ranker {
  type: number;
  key: string;
  model: string;
  path: string;
  /** Undefined: it is not so. */
  rank: (body: Body) => object | undefined;
  refuses: (message: string) => Extract<Judgement, { kind: 'answer' }>;
}

function hasOnly(body: unknown, names: readonly string[]): body is Body {
  return isObject(body) && Object.keys(body).every((name) => names.includes(name));
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isPart = (value: unknown): boolean => hasOnly(value, ['text', 'image', 'video']) && Object.values(value).every(isText);

/** The longest document first. */
function ranked(
  documents: unknown,
  top: unknown,
  isDocument: (value: unknown) => boolean,
): { index: number; relevance_score: number }[] | undefined {
  if (!Array.isArray(documents) || documents.length === 0 || !documents.every(isDocument)) return undefined;
  if (top !== undefined && !(Number.isInteger(top) && Number(top) > 0)) return undefined;
  return documents
    .map((document, index) => ({ index, relevance_score: JSON.stringify(document).length / 1000 }))
    .toSorted((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, typeof top === 'number' ? top : undefined);
}

const ali = (message: string) => ({ kind: 'answer', status: 400, body: { code: 'InvalidParameter', message, request_id: 'r1' } }) as const;

/** https://help.aliyun.com/zh/model-studio/text-rerank-api */
function rankNested(body: Body, isDocument: (value: unknown) => boolean): object | undefined {
  const { input, parameters = {} } = body;
  if (!hasOnly(body, ['model', 'input', 'parameters']) || !hasOnly(input, ['query', 'documents']) || !isDocument(input['query']))
    return undefined;
  if (!hasOnly(parameters, ['top_n', 'return_documents', 'instruct'])) return undefined;
  const { documents } = input;
  const rows = ranked(documents, parameters['top_n'], isDocument);
  if (rows === undefined || !Array.isArray(documents)) return undefined;
  const reported = (index: number) => (isText(documents[index]) ? { text: documents[index] } : documents[index]);
  const results = parameters['return_documents'] === true ? rows.map((row) => ({ ...row, document: reported(row.index) })) : rows;
  return { output: { results }, usage: { total_tokens: 21 }, request_id: 'r1' };
}

export const rankers = {
  aliNested: {
    type: 17,
    key: 'ali-key',
    model: 'gte-rerank-v2',
    path: '/api/v1/services/rerank/text-rerank/text-rerank',
    rank: (body) => rankNested(body, isText),
    refuses: ali,
  },
  aliSees: {
    type: 17,
    key: 'ali-key',
    model: 'qwen3-vl-rerank',
    path: '/api/v1/services/rerank/text-rerank/text-rerank',
    rank: (body) => rankNested(body, isPart),
    refuses: ali,
  },
  aliFlat: {
    type: 17,
    key: 'ali-key',
    model: 'qwen3-rerank',
    path: '/compatible-api/v1/reranks',
    rank(body) {
      if (!hasOnly(body, ['model', 'query', 'documents', 'top_n', 'instruct']) || !isText(body['query'])) return undefined;
      const results = ranked(body['documents'], body['top_n'], isText);
      return results && { object: 'list', results, model: body['model'], id: 'r1', usage: { total_tokens: 21 } };
    },
    refuses: ali,
  },
  // https://cloud.baidu.com/doc/qianfan-api/s/2m7u4zt74
  qianfan: {
    type: 46,
    key: 'bd-key',
    model: 'bce-reranker-base',
    path: '/v2/rerank',
    rank(body) {
      if (!hasOnly(body, ['model', 'query', 'documents', 'top_n', 'user']) || !isText(body['query'])) return undefined;
      const { documents } = body;
      const rows = ranked(documents, body['top_n'], isText);
      if (rows === undefined || !Array.isArray(documents)) return undefined;
      const results = rows.map((row) => ({ document: documents[row.index], ...row }));
      return {
        id: 'as-1',
        object: 'reranker_list',
        created: 1,
        model: body['model'],
        results,
        usage: { prompt_tokens: 21, total_tokens: 21 },
      };
    },
    refuses: (message) => ({
      kind: 'answer',
      status: 400,
      body: { error: { code: 'invalid_argument', message, type: 'invalid_request_error' }, id: 'as-1' },
    }),
  },
} as const satisfies Record<string, Ranker>;

export type RankerName = keyof typeof rankers;

export const rankerNames = Object.keys(rankers).filter((name): name is RankerName => name in rankers);

export async function startFakeRanker(name: RankerName, upstreamUrl: string): Promise<FakeRanker> {
  const { type, key, path, rank, refuses }: Ranker = rankers[name];
  const taken: Body[] = [];
  const front = await startFront(upstreamUrl, ({ method, path: requested, headers, body }) => {
    if (headers.authorization !== `Bearer ${key}`) return refuses('no such key');
    if (method !== 'POST' || requested !== path) return refuses(`nothing at ${requested}`);
    const reported = jsonOf(body);
    taken.push(reported);
    if (JSON.stringify(reported).includes(refusedText)) return refuses(refusedText);
    const answer = rank(reported);
    return answer === undefined ? refuses('not so') : { kind: 'answer', status: 200, body: answer };
  });
  return { ...front, channel: { type, key }, taken, [Symbol.asyncDispose]: () => front.close() };
}
