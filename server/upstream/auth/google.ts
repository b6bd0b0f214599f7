// Google's cloud: a signed assertion of a service account, or the refresh token of a user, is changed into a token that lives an hour.
// https://developers.google.com/identity/protocols/oauth2/service-account#httprest
import { createHash, createPrivateKey, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readGoogleKey } from '#shared/google-key.ts';
import type { AuthorizedUser, ServiceAccount } from '#shared/google-key.ts';
import { framings } from '#server/framing/registry.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { SendFailure } from '#server/upstream/send-failure.ts';
import { fetchedToken, forgetToken, isOldToken } from './fetched-tokens.ts';
import type { FetchedToken } from './fetched-tokens.ts';
import type { Authorization, Signing } from './scheme.ts';
import { SigningFailure } from './signing-failure.ts';

const scope = 'https://www.googleapis.com/auth/cloud-platform';
const serviceTokens = 'https://www.googleapis.com/oauth2/v4/token';
const userTokens = 'https://oauth2.googleapis.com/token';
const assertionSeconds = 35 * 60;
const limits = { responseMs: 15_000, maxBytes: 64 * 1024 };
const longestText = 4000;

/** @param base the channel's address: whoever stands in for Google there may give its tokens too */
export function google(text: string, base: string): Authorization {
  const key = readGoogleKey(text);
  if (key === null) return unusable('the key is neither an API key nor the JSON of a service account or of a user with a quota project');
  if (key.type === 'api_key') return { headers: { 'x-goog-api-key': key.key }, problem: null };
  const address = URL.parse(key.token_uri ?? (key.type === 'service_account' ? serviceTokens : userTokens));
  // The file names the address that its secret is proven to, and somebody may have pasted one of anybody's.
  if (address === null || !(isGoogles(address) || address.origin === URL.parse(base)?.origin)) {
    return unusable('the token_uri of the key is not an address of Google');
  }
  if (key.type === 'authorized_user') {
    const headers = { 'x-goog-user-project': key.quota_project_id };
    return { headers, problem: null, sign: signer({ text, address }, () => refreshForm(key)) };
  }
  const privateKey = readPrivateKey(key.private_key);
  if (privateKey === null) return unusable('the private_key of the service account cannot be read');
  return { headers: {}, problem: null, sign: signer({ text, address }, (now) => assertionForm(key, { address, privateKey, now })) };
}

function unusable(problem: string): Authorization {
  return { headers: {}, problem };
}

function isGoogles({ protocol, hostname, port }: URL): boolean {
  return protocol === 'https:' && port === '' && hostname.endsWith('.googleapis.com');
}

/** Files that were copied by hand have line breaks written out. */
function readPrivateKey(pem: string): KeyObject | null {
  try {
    const key = createPrivateKey(pem.replaceAll('\\n', '\n'));
    // Assertions are signed by RSA, and no other key can do that.
    return key.asymmetricKeyType === 'rsa' ? key : null;
  } catch {
    return null;
  }
}

interface TokenSource {
  text: string;
  address: URL;
}

function signer({ text, address }: TokenSource, form: (now: number) => URLSearchParams): NonNullable<Authorization['sign']> {
  return (request, signing) => {
    const id = createHash('sha256')
      .update(JSON.stringify([text, address.href, request.proxy]))
      .digest('base64');
    const withToken = (token: string) => ({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } });
    const find = () => fetchedToken(id, signing.now, () => fetchToken(address, form(signing.now), { ...signing, proxy: request.proxy }));
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
  form: URLSearchParams,
  { sender, now, proxy }: Signing & { proxy: string | null },
): Promise<FetchedToken> {
  const { response } = sender.send(
    {
      origin: address.origin,
      path: `${address.pathname}${address.search}`,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', 'user-agent': 'Tidegate' },
      body: Buffer.from(form.toString()),
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
  const body = parseObject(text) ?? {};
  const { access_token: value, expires_in: seconds, error, error_description: description } = body;
  if (answer.status === 200 && typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)) {
    return { value, expiresAt: now + (typeof seconds === 'number' && seconds > 0 ? seconds : 3600) * 1000 };
  }
  // A grant that is refused is a bad request there; it is the channel's key that is refused.
  const isRefused = answer.status === 400 || answer.status === 403;
  const told = [error, description].filter((part) => typeof part === 'string').join(': ');
  const status = answer.status === 200 ? 502 : isRefused ? 401 : answer.status;
  throw new SigningFailure({ status, text: JSON.stringify({ error: { message: told.slice(0, longestText) } }) });
}

/** The model was not asked, however long the place for tokens was silent: another channel may be. */
function asUnreached(failure: SendFailure): SendFailure {
  return failure.reason === 'timeout' ? new SendFailure('network', failure.message, { cause: failure }) : failure;
}

function refreshForm({ client_id, client_secret, refresh_token }: AuthorizedUser): URLSearchParams {
  return new URLSearchParams({ grant_type: 'refresh_token', client_id, client_secret, refresh_token });
}

interface Assertion {
  address: URL;
  privateKey: KeyObject;
  now: number;
}

function assertionForm({ client_email: iss }: ServiceAccount, { address, privateKey, now }: Assertion): URLSearchParams {
  const iat = Math.floor(now / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = part({ alg: 'RS256', typ: 'JWT' });
  const claims = part({ iss, scope, aud: address.href, iat, exp: iat + assertionSeconds });
  const signature = sign('RSA-SHA256', Buffer.from(`${header}.${claims}`), privateKey).toString('base64url');
  return new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: `${header}.${claims}.${signature}`,
  });
}
