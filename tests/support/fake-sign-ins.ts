// Where sign-ins to ChatGPT accounts are renewed: each token for that can be used once.
import { type FrontedRequest, type Judgement, startFront } from './provider-front.ts';
import { parseObject } from '#server/framing/loose-json.ts';

export interface FakeSignIns extends AsyncDisposable {
  /** Of the token endpoint. */
  address: string;
  /** Tokens that were used, in order. */
  readonly used: string[];
  /** How the next questions are answered, before they are judged. */
  readonly failing: { status: number; body?: object }[];
}

/** @param days that access tokens live @param now milliseconds */
export async function startFakeSignIns({
  now,
  days = 10,
  taken = ['rt-1'],
}: {
  now: () => number;
  days?: number;
  taken?: string[];
}): Promise<FakeSignIns> {
  const used: string[] = [];
  const failing: FakeSignIns['failing'] = [];
  const valid = new Set(taken);
  let count = 1;
  const front = await startFront('http://nowhere', ({ method, path, headers, body }: FrontedRequest): Judgement => {
    const failure = failing.shift();
    if (failure !== undefined) return { kind: 'answer', status: failure.status, body: failure.body ?? {} };
    const { client_id: client, grant_type: grant, refresh_token: token, ...others } = parseObject(body.toString()) ?? {};
    const isRight = method === 'POST' && path === '/oauth/token' && headers['content-type'] === 'application/json';
    if (!isRight || grant !== 'refresh_token' || client !== 'app_EMoamEEZ73f0CkXaXp7hrann' || typeof token !== 'string') {
      return { kind: 'answer', status: 400, body: { error: 'invalid_request' } };
    }
    if (Object.keys(others).some((name) => name !== 'scope')) return { kind: 'answer', status: 400, body: { error: 'invalid_request' } };
    used.push(token);
    if (!valid.delete(token)) {
      const error = { code: 'refresh_token_reused', message: 'Your refresh token has already been used' };
      return { kind: 'answer', status: 401, body: { error } };
    }
    count += 1;
    const next = `rt-${count}`;
    valid.add(next);
    return {
      kind: 'answer',
      status: 200,
      body: { access_token: accessToken(now() + days * 86_400_000, count), refresh_token: next, id_token: `id-${count}` },
    };
  });
  return { address: `${front.url}/oauth/token`, used, failing, [Symbol.asyncDispose]: () => front.close() };
}

/** @param expiresAt milliseconds */
export function accessToken(expiresAt: number, number = 1): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ exp: Math.floor(expiresAt / 1000), jti: String(number) })}.signature`;
}
