// Anthropic's batches before the fake upstream: requests are worked on when a test says so.
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, startFront } from './provider-front.ts';
import { isObject } from './upstream-responses.ts';

interface MessageRequest {
  custom_id: string;
  params: Record<string, unknown>;
}

export interface ProviderMessageBatch {
  id: string;
  requests: MessageRequest[];
  processing_status: 'in_progress' | 'canceling' | 'ended';
  results: string;
  counts: { processing: number; succeeded: number; errored: number; canceled: number; expired: number };
}

export interface FakeMessageBatches extends ProviderFront {
  batches: Map<string, ProviderMessageBatch>;
  requested: string[];
  /** The next ones get these. */
  failures: number[];
  /** The next creations are done and answered with this status. */
  lost: number[];
  /** Processes so many requests of a batch, the newest by default, and ends it. */
  run(options?: { count?: number; id?: string; rest?: 'canceled' | 'expired' }): Promise<void>;
}

const key = 'sk-ant-operator';
const created = new Date(2_000_000_000_000).toISOString();

export async function startFakeMessageBatches(upstreamUrl: string): Promise<FakeMessageBatches> {
  const batches = new Map<string, ProviderMessageBatch>();
  const requested: string[] = [];
  const failures: number[] = [];
  const lost: number[] = [];
  const reported = ({ id, processing_status: status, counts }: ProviderMessageBatch) => ({
    id,
    type: 'message_batch',
    processing_status: status,
    request_counts: counts,
    created_at: created,
    expires_at: created,
    ended_at: status === 'ended' ? created : null,
    cancel_initiated_at: status === 'canceling' ? created : null,
    archived_at: null,
    results_url: status === 'ended' ? `/v1/messages/batches/${id}/results` : null,
  });
  const answer = (status: number, body: object): Judgement => ({ kind: 'answer', status, body });
  const refuse = (status: number, message: string) => answer(status, { type: 'error', error: { type: 'invalid_request_error', message } });

  async function run({ count = Infinity, id = '', rest = 'expired' }: { count?: number; id?: string; rest?: 'canceled' | 'expired' } = {}) {
    const batch = batches.get(id) ?? [...batches.values()].at(-1);
    if (batch === undefined) throw new Error('There is no batch');
    const lines: string[] = [];
    batch.counts = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
    for (const [index, { custom_id: name, params }] of batch.requests.entries()) {
      if (index >= count) {
        batch.counts[rest] += 1;
        lines.push(JSON.stringify({ custom_id: name, result: { type: rest } }));
        continue;
      }
      const response = await fetch(`${upstreamUrl}/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key, 'anthropic-version': '2023-06-01' },
        body: JSON.stringify(params),
      });
      const body: unknown = await response.json();
      batch.counts[response.status === 200 ? 'succeeded' : 'errored'] += 1;
      const result = response.status === 200 ? { type: 'succeeded', message: body } : { type: 'errored', error: body };
      lines.push(JSON.stringify({ custom_id: name, result }));
    }
    // Results come in no order.
    batch.results = `${lines.toReversed().join('\n')}\n`;
    batch.processing_status = 'ended';
  }

  function create(body: Buffer): Judgement {
    const { requests, ...others } = jsonOf(body);
    if (!Array.isArray(requests) || requests.length === 0 || Object.keys(others).length > 0) return refuse(400, 'no requests');
    const names = new Set<string>();
    for (const request of requests) {
      const name: unknown = isObject(request) ? request['custom_id'] : undefined;
      if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name) || names.has(name)) return refuse(400, 'no such custom_id');
      if (!isObject(request) || !isObject(request['params'])) return refuse(400, 'no params');
      names.add(name);
    }
    const counts = { processing: requests.length, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
    const made: ProviderMessageBatch = {
      id: `msgbatch_theirs${batches.size}`,
      requests,
      processing_status: 'in_progress',
      results: '',
      counts,
    };
    batches.set(made.id, made);
    const failure = lost.shift();
    return failure === undefined ? answer(200, reported(made)) : refuse(failure, 'as was told');
  }

  function judge({ method, path, headers, body }: FrontedRequest): Judgement {
    const address = new URL(path, 'http://there');
    const [, , place, kind, id, verb] = address.pathname.split('/');
    if (place !== 'messages' || kind !== 'batches') return { kind: 'pass', path, body: jsonOf(body) };
    requested.push(`${method} ${path}`);
    if (headers['x-api-key'] !== key || headers['anthropic-version'] !== '2023-06-01') return refuse(401, 'no such key');
    const failure = failures.shift();
    if (failure !== undefined) return refuse(failure, 'as was told');
    if (method === 'POST' && id === undefined) return create(body);
    if (method === 'GET' && id === undefined) {
      const all = [...batches.values()].toReversed();
      const after = address.searchParams.get('after_id');
      const from = after === null ? 0 : all.findIndex((batch) => batch.id === after) + 1;
      return answer(200, { data: all.slice(from, from + 2).map(reported), has_more: from + 2 < all.length });
    }
    const batch = batches.get(id ?? '');
    if (batch === undefined) return refuse(404, 'not found');
    if (method === 'GET' && verb === 'results') {
      if (batch.processing_status !== 'ended') return refuse(404, 'not ended');
      return { kind: 'bytes', type: 'application/x-jsonl', bytes: Buffer.from(batch.results) };
    }
    if (method === 'POST' && verb === 'cancel') batch.processing_status = 'canceling';
    else if (method !== 'GET' || verb !== undefined) return refuse(405, 'no such method');
    return answer(200, reported(batch));
  }

  const front = await startFront(upstreamUrl, judge);
  return { ...front, channel: { type: 14, key }, batches, requested, failures, lost, run };
}
