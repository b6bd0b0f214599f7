// Baidu's first platform in front of the fake upstream: issues tokens for a key and its secret, accepts calls with such a token only, and reports
// errors with status 200.
import { randomUUID } from 'node:crypto';
import { chatOf, ernieFrames, ernieOf } from './ernie-responses.ts';
import { relayOwn } from './own-chat-relay.ts';
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, refusedText, startFront } from './provider-front.ts';

export const baiduKey = 'AK1|SK1';
const place = '/rpc/2.0/ai_custom/v1/wenxinworkshop';

export interface FakeBaidu extends ProviderFront, AsyncDisposable {
  /** The bodies of the calls that it has taken, in order. */
  readonly taken: Record<string, unknown>[];
  /** How many tokens were given. */
  readonly given: { count: number };
  /** No token that was given is taken any more. */
  revoke(): void;
}

export async function startFakeBaidu(upstreamUrl: string): Promise<FakeBaidu> {
  const taken: Record<string, unknown>[] = [];
  const given = { count: 0 };
  // A front may get the port of one before it, but no token that was given there.
  const secret = `SK${randomUUID()}`;
  let token = '';
  const front = await startFront(upstreamUrl, (request) => {
    const { pathname, searchParams } = new URL(request.path, 'http://front');
    if (pathname === '/oauth/2.0/token') {
      if (request.method !== 'POST' || searchParams.get('client_id') !== 'AK1' || searchParams.get('client_secret') !== secret) {
        return { kind: 'answer', status: 401, body: { error: 'invalid_client', error_description: 'Client authentication failed' } };
      }
      given.count += 1;
      token ||= `24.${randomUUID()}`;
      return { kind: 'answer', status: 200, body: { access_token: token, expires_in: 2_592_000 } };
    }
    if (token === '' || searchParams.get('access_token') !== token) return refused(110, 'Access token invalid or no longer valid');
    return judge(request, pathname, taken);
  });
  return {
    ...front,
    [Symbol.asyncDispose]: () => front.close(),
    taken,
    given,
    revoke: () => (token = ''),
    channel: { type: 15, key: `AK1|${secret}` },
  };
}

function judge({ body, headers }: FrontedRequest, pathname: string, taken: Record<string, unknown>[]): Judgement {
  if ('authorization' in headers) return refused(336_003, 'the secret is told');
  const requested = jsonOf(body);
  taken.push(requested);
  if (pathname === `${place}/embeddings/embedding-v1`) {
    const { input } = requested;
    if (Array.isArray(input) && input.includes(refusedText)) return refused(336_003, refusedText);
    const data = Array.isArray(input) ? input.map((text, index) => ({ index, embedding: [String(text).length, index] })) : [];
    return {
      kind: 'answer',
      status: 200,
      body: { id: 'as-1', object: 'embedding_list', data, usage: { prompt_tokens: 7, total_tokens: 7 } },
    };
  }
  if (pathname !== `${place}/chat/completions_pro`) return refused(3, 'Unsupported openapi method');
  const read = chatOf(requested, 'ERNIE-4.0-8K');
  if ('fault' in read) return refused(336_003, read.fault);
  return { kind: 'pass', path: '/v1/chat/completions', body: read.requested, relay };
}

function refused(code: number, message: string): Judgement {
  return { kind: 'answer', status: 200, body: { error_code: code, error_msg: message, id: 'as-1' } };
}

const relay = relayOwn({
  whole: ernieOf,
  events: ernieFrames,
  failed: { error_code: 336_000, error_msg: 'Internal error' },
  failure: (message) => ({ error_code: 336_000, error_msg: message }),
});
