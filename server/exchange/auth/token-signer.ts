// Signs with tokens exchanged for a key: fetches one for all calls, renews it before it expires, and replaces it once
// if it is rejected.
import { createHash } from 'node:crypto';
import { framings } from '#server/framing/registry.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { SendFailure } from '#server/exchange/send-failure.ts';
import type { SendRequest } from '#server/exchange/send.ts';
import { type FetchedToken, fetchedToken, forgetToken, isOldToken } from './fetched-tokens.ts';
import type { Authorization, Signing } from './scheme.ts';
import { SigningFailure } from './signing-failure.ts';

const limits = { responseMs: 15_000, maxBytes: 64 * 1024 };
const longestText = 4000;

/** `POST` request for a token. */
export interface TokenRequest {
  headers: Readonly<Record<string, string>>;
  body: Buffer | null;
}

interface TokenSource {
  /** Text of the key, which identifies the cached token. */
  text: string;
  /** Token endpoint. */
  address: URL;
  /** Returns the request for a token. @param now milliseconds since the epoch */
  requestAt(now: number): TokenRequest;
  /** Adds the token to a request. */
  carry<Request extends SendRequest>(request: Request, token: string): Request;
}

export function tokenSigner({ text, address, requestAt, carry }: TokenSource): NonNullable<Authorization['sign']> {
  return (request, signing) => {
    const id = createHash('sha256')
      .update(JSON.stringify([text, address.href, request.proxy]))
      .digest('base64');
    const withToken = (token: string) => carry(request, token);
    const find = () =>
      fetchedToken(id, signing.now, () => fetchToken(address, requestAt(signing.now), { ...signing, proxy: request.proxy }));
    const token = find();
    if (typeof token !== 'string') return token.then(withToken);
    if (!isOldToken(id, signing.now)) return withToken(token);
    const renew = async () => {
      forgetToken(id, token);
      return withToken(await find());
    };
    return { ...withToken(token), renew };
  };
}

async function fetchToken(
  address: URL,
  { headers, body }: TokenRequest,
  { sender, now, proxy }: Signing & { proxy: string | null },
): Promise<FetchedToken> {
  const { response } = sender.send(
    {
      origin: address.origin,
      path: `${address.pathname}${address.search}`,
      method: 'POST',
      headers: { ...headers, accept: 'application/json', 'user-agent': 'Tidegate' },
      body,
      proxy,
      framing: framings.sse,
    },
    limits,
  );
  const answer = await response.catch((cause: unknown) => {
    throw cause instanceof SendFailure ? new SigningFailure(asUnreached(cause)) : cause;
  });
  if (answer.kind === 'stream') answer.stream.abort();
  const text = answer.kind === 'whole' ? answer.body.toString('utf8') : '';
  const reported = parseObject(text) ?? {};
  const { access_token: value, expires_in: seconds, error, error_description: description } = reported;
  if (answer.status === 200 && typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)) {
    return { value, expiresAt: now + (typeof seconds === 'number' && seconds > 0 ? seconds : 3600) * 1000 };
  }
  // Token endpoints report a rejected key as 400 or 403, which is mapped to 401.
  const isRefused = answer.status === 400 || answer.status === 403;
  const words = [error, description].filter((part) => typeof part === 'string').join(': ');
  const status = answer.status === 200 ? 502 : isRefused ? 401 : answer.status;
  throw new SigningFailure({ status, text: JSON.stringify({ error: { message: words.slice(0, longestText) } }) });
}

/**
 * A timeout of the token endpoint counts as a network failure: the model was not called, so another channel may be
 * tried.
 */
function asUnreached(failure: SendFailure): SendFailure {
  return failure.reason === 'timeout' ? new SendFailure('network', failure.message, { cause: failure }) : failure;
}
