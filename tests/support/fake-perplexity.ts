// Perplexity before the fake upstream: takes its own format strictly, as its Agent API does, and answers in its events.
import { agentEvents, agentOf, searches, wholeOf } from './perplexity-responses.ts';
import { relayOwn } from './own-chat-relay.ts';
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, startFront } from './provider-front.ts';

const key = 'pplx-key';

export interface FakePerplexity extends ProviderFront, AsyncDisposable {
  /** The bodies of the calls that it has taken, in order. */
  readonly taken: Record<string, unknown>[];
  /** What stands behind each answer; `[1]` is the first page that it has found. */
  mark: string;
}

/** @param isProxy still speaks what was there before September 2026 as well */
export async function startFakePerplexity(upstreamUrl: string, { isProxy = false } = {}): Promise<FakePerplexity> {
  const taken: Record<string, unknown>[] = [];
  const state = { mark: '', isProxy };
  const front = await startFront(upstreamUrl, (request) => judge(request, taken, state));
  return {
    ...front,
    [Symbol.asyncDispose]: () => front.close(),
    taken,
    channel: { type: 27, key },
    get mark() {
      return state.mark;
    },
    set mark(mark) {
      state.mark = mark;
    },
  };
}

const models = { object: 'list', data: ['perplexity/sonar', 'openai/gpt-6-luna'].map((id) => ({ id, object: 'model' })) };

interface State {
  mark: string;
  isProxy: boolean;
}

function judge({ method, path, headers, body }: FrontedRequest, taken: Record<string, unknown>[], { mark, isProxy }: State): Judgement {
  if (method === 'GET' && path === '/v1/models') return { kind: 'answer', status: 200, body: models };
  if (headers.authorization !== `Bearer ${key}`) return refused(401, 'Invalid API key provided.', 'invalid_api_key');
  if (path === '/chat/completions') {
    if (!isProxy) return refused(410, 'Sonar is now the Agent API.', 'gone');
    return 'stop' in jsonOf(body) ? refused(400, 'stop', 'invalid_request') : { kind: 'pass', path: '/v1/chat/completions', body };
  }
  if (method !== 'POST' || path !== '/v1/responses') return refused(404, `nothing at ${path}`, 'not_found');
  const requested = jsonOf(body);
  taken.push(requested);
  const read = agentOf(requested);
  if ('fault' in read) return refused(400, read.fault, 'invalid_request');
  const isSearch = searches(requested);
  const relay = relayOwn({
    whole: (completion) => wholeOf(completion, { isSearch, mark }),
    events: () => agentEvents({ isSearch, mark }),
    failed: { type: 'response.failed', sequence_number: 99, error: { message: 'the run has failed', type: 'internal_error' } },
    failure: (message) => ({ error: { message, type: 'invalid_request', code: 400 } }),
    write: (event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`,
  });
  return { kind: 'pass', path: '/v1/chat/completions', body: read.requested, relay };
}

function refused(status: number, message: string, type: string): Judgement {
  return { kind: 'answer', status, body: { error: { message, type, code: status } } };
}
