// An application of Dify before the fake upstream: takes its own format strictly, and answers in its events.
import { chatOf, difyEvents, difyOf } from './dify-responses.ts';
import { relayOwn } from './own-chat-relay.ts';
import { jsonOf, startFront } from './provider-front.ts';
import type { FrontedRequest, Judgement, ProviderFront } from './provider-front.ts';

const key = 'app-key';

export interface FakeDify extends ProviderFront, AsyncDisposable {
  /** The bodies of the calls that it has taken, in order. */
  readonly taken: Record<string, unknown>[];
}

export async function startFakeDify(upstreamUrl: string): Promise<FakeDify> {
  const taken: Record<string, unknown>[] = [];
  const front = await startFront(upstreamUrl, (request) => judge(request, taken));
  return { ...front, [Symbol.asyncDispose]: () => front.close(), taken, channel: { type: 37, key } };
}

function judge({ method, path, headers, body }: FrontedRequest, taken: Record<string, unknown>[]): Judgement {
  if (headers.authorization !== `Bearer ${key}`) return refused(401, 'unauthorized', 'Access token is invalid');
  if (method !== 'POST' || path !== '/v1/chat-messages') return refused(404, 'not_found', `nothing at ${path}`);
  const asked = jsonOf(body);
  taken.push(asked);
  const read = chatOf(asked, 'gpt-4o-mini');
  if ('fault' in read) return refused(400, 'invalid_param', read.fault);
  return { kind: 'pass', path: '/v1/chat/completions', body: read.asked, relay };
}

function refused(status: number, code: string, message: string): Judgement {
  return { kind: 'answer', status, body: { code, message, status } };
}

const relay = relayOwn({
  whole: difyOf,
  events: difyEvents,
  failed: { event: 'error', status: 500, code: 'internal_server_error', message: 'Internal error' },
  failure: (message) => ({ code: 'completion_request_error', message, status: 400 }),
});
