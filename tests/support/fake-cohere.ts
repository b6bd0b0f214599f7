// Cohere before the fake upstream: takes its own format strictly, and answers in its events.
import { chatOf, cohereEvents, cohereOf } from './cohere-responses.ts';
import { relayOwn } from './own-chat-relay.ts';
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, refusedText, startFront } from './provider-front.ts';

const key = 'co-key';

export interface FakeCohere extends ProviderFront, AsyncDisposable {
  /** The bodies of the calls that it has taken, in order. */
  readonly taken: Record<string, unknown>[];
}

export async function startFakeCohere(upstreamUrl: string): Promise<FakeCohere> {
  const taken: Record<string, unknown>[] = [];
  const front = await startFront(upstreamUrl, (request) => judge(request, taken));
  return { ...front, [Symbol.asyncDispose]: () => front.close(), taken, channel: { type: 34, key } };
}

function judge({ method, path, headers, body }: FrontedRequest, taken: Record<string, unknown>[]): Judgement {
  if (headers.authorization !== `Bearer ${key}`) return refused(401, 'invalid api token');
  if (method !== 'POST') return refused(404, `nothing at ${path}`);
  const requested = jsonOf(body);
  taken.push(requested);
  if (path === '/v2/embed') return embedded(requested);
  if (path === '/v1/rerank') return { kind: 'pass', path, body: requested, relay };
  if (path !== '/v2/chat') return refused(404, `nothing at ${path}`);
  const read = chatOf(requested);
  if ('fault' in read) return refused(400, read.fault);
  return { kind: 'pass', path: '/v1/chat/completions', body: read.requested, relay };
}

function embedded({ texts, input_type: type, embedding_types: types }: Record<string, unknown>): Judgement {
  if (Array.isArray(texts) && texts.includes(refusedText)) return refused(400, refusedText);
  if (!Array.isArray(texts) || texts.length > 96 || typeof type !== 'string' || !Array.isArray(types))
    return refused(400, 'invalid request');
  const float = texts.map((text: unknown, index) => [String(text).length, index]);
  return { kind: 'answer', status: 200, body: { id: 'e1', embeddings: { float }, texts, meta: { billed_units: { input_tokens: 7 } } } };
}

function refused(status: number, message: string): Judgement {
  return { kind: 'answer', status, body: { id: 'r1', message } };
}

const relay = relayOwn({
  whole: cohereOf,
  events: cohereEvents,
  failed: { type: 'message-end', delta: { finish_reason: 'ERROR', error: 'the generation has failed' } },
  failure: (message) => ({ id: 'r1', message }),
  write: (event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`,
});
