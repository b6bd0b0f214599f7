// Gemini's batches before the fake upstream: requests lie in files, and are worked on when a test says so.
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, startFront } from './provider-front.ts';
import { isObject } from './upstream-responses.ts';

export interface ProviderGeminiBatch {
  name: string;
  verb: string;
  model: string;
  displayName: string;
  lines: { key: string; request: Record<string, unknown> }[];
  state: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'CANCELLED' | 'FAILED' | 'EXPIRED';
  results: string;
  counts: { done: number; failed: number };
}

export interface FakeGeminiBatches extends ProviderFront {
  batches: Map<string, ProviderGeminiBatch>;
  files: Map<string, string>;
  requested: string[];
  /** The next creations are done and answered with this status. */
  lost: number[];
  /** Works on so many requests of the newest batch, and ends it. */
  run(options?: { count?: number; state?: ProviderGeminiBatch['state']; reversed?: boolean; instead?: object }): Promise<void>;
}

const key = 'AIza-operator';
const time = new Date(2_000_000_000_000).toISOString();

export async function startFakeGeminiBatches(upstreamUrl: string): Promise<FakeGeminiBatches> {
  const batches = new Map<string, ProviderGeminiBatch>();
  const files = new Map<string, string>();
  const requested: string[] = [];
  const lost: number[] = [];
  const answer = (status: number, body: object): Judgement => ({ kind: 'answer', status, body });
  const refuse = (code: number, message: string) => answer(code, { error: { code, message, status: 'INVALID_ARGUMENT' } });

  const reported = ({ name, model, displayName, state, results, counts, lines }: ProviderGeminiBatch) => ({
    name,
    metadata: {
      '@type': 'type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatch',
      model: `models/${model}`,
      displayName,
      state: `BATCH_STATE_${state}`,
      createTime: time,
      ...(state === 'PENDING' || state === 'RUNNING' ? {} : { endTime: time }),
      batchStats: {
        requestCount: String(lines.length),
        successfulRequestCount: String(counts.done),
        failedRequestCount: String(counts.failed),
      },
    },
    ...(results === '' ? {} : { done: true, response: { responsesFile: results } }),
  });

  async function run({ count = Infinity, state = 'SUCCEEDED', reversed = true, instead }: Parameters<FakeGeminiBatches['run']>[0] = {}) {
    const batch = [...batches.values()].at(-1);
    if (batch === undefined) throw new Error('There is no batch');
    const lines: string[] = [];
    batch.counts = { done: 0, failed: 0 };
    const verb = batch.verb === 'batchGenerateContent' ? 'generateContent' : 'embedContent';
    for (const { key: name, request } of batch.lines.slice(0, count)) {
      const response = await fetch(`${upstreamUrl}/v1beta/models/${batch.model}:${verb}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-goog-api-key': key },
        body: JSON.stringify(request),
      });
      const body: unknown = instead ?? (await response.json());
      batch.counts[response.status === 200 ? 'done' : 'failed'] += 1;
      const said = response.status === 200 ? { response: body } : { error: { code: 3, message: 'refused' } };
      lines.push(JSON.stringify({ key: name, ...said }));
    }
    batch.results = `files/batch-results${batches.size}`;
    files.set(batch.results, `${(reversed ? lines.toReversed() : lines).join('\n')}\n`);
    batch.state = state;
  }

  function upload({ headers, body }: FrontedRequest): Judgement {
    const [, boundary = ''] = /^multipart\/related; boundary=(\w+)$/.exec(headers['content-type'] ?? '') ?? [];
    const [, about = '', content = '', end = ''] = body.toString().split(`--${boundary}`);
    if (boundary === '' || end !== '--\r\n' || headers['x-goog-upload-protocol'] !== 'multipart') return refuse(400, 'no upload');
    const { file } = JSON.parse(about.slice(about.indexOf('{')));
    if (file.mimeType !== 'application/jsonl') return refuse(400, 'no type');
    const name = `files/in${files.size}`;
    files.set(name, content.slice(content.indexOf('\r\n\r\n') + 4, -2));
    return answer(200, { file: { name, mimeType: file.mimeType, state: 'ACTIVE' } });
  }

  function create(model: string, verb: string, body: Buffer): Judgement {
    const { batch } = jsonOf(body);
    const input = isObject(batch) ? batch['inputConfig'] : undefined;
    const content = isObject(input) ? files.get(String(input['fileName'])) : undefined;
    if (!isObject(batch) || content === undefined) return refuse(400, 'no file');
    const lines = content
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const name = `batches/theirs${batches.size}`;
    const made: ProviderGeminiBatch = {
      name,
      verb,
      model,
      displayName: String(batch['displayName']),
      lines,
      state: 'PENDING',
      results: '',
      counts: { done: 0, failed: 0 },
    };
    batches.set(name, made);
    const failure = lost.shift();
    return failure === undefined ? answer(200, reported(made)) : refuse(failure, 'as was told');
  }

  function judge(request: FrontedRequest): Judgement {
    const { method, path, headers, body } = request;
    const address = new URL(path, 'http://there');
    requested.push(`${method} ${path}`);
    if (headers['x-goog-api-key'] !== key) return refuse(401, 'no such key');
    if (method === 'POST' && path === '/upload/v1beta/files?uploadType=multipart') return upload(request);
    const [, model = '', verb = ''] = /^\/v1beta\/models\/([\w.-]+):(batchGenerateContent|asyncBatchEmbedContent)$/.exec(path) ?? [];
    if (method === 'POST' && verb !== '') return create(model, verb, body);
    const [, file] = /^\/download\/v1beta\/(files\/[\w-]+):download\?alt=media$/.exec(path) ?? [];
    const content = files.get(file ?? '');
    if (content !== undefined) return { kind: 'bytes', type: 'application/octet-stream', bytes: Buffer.from(content) };
    const named = address.pathname.slice('/v1beta/'.length);
    if (method === 'DELETE' && files.delete(named)) return answer(200, {});
    if (method === 'GET' && named === 'batches') {
      const all = [...batches.values()].toReversed();
      const from = Number(address.searchParams.get('pageToken') ?? 0);
      const more = from + 2 < all.length ? { nextPageToken: String(from + 2) } : {};
      return answer(200, { operations: all.slice(from, from + 2).map(reported), ...more });
    }
    const [id = '', order] = named.split(':');
    const batch = batches.get(id);
    if (batch === undefined) return refuse(404, 'not found');
    if (method === 'POST' && order === 'cancel') {
      batch.state = 'CANCELLED';
      return answer(200, {});
    }
    return method === 'GET' ? answer(200, reported(batch)) : refuse(405, 'no such method');
  }

  const front = await startFront(upstreamUrl, judge);
  return { ...front, channel: { type: 24, key }, batches, files, requested, lost, run };
}
