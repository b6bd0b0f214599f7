// Google Cloud: exchanges a service account's signed assertion, or a user's refresh token, for a token of one hour.
// https://developers.google.com/identity/protocols/oauth2/service-account#httprest
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { FailureReason } from '#shared/failure-reasons.ts';
import { type AuthorizedUser, readGoogleKey, type ServiceAccount } from '#shared/google-key.ts';
import { type Authorization, keyForm } from './scheme.ts';
import { tokenSigner } from './token-signer.ts';

const scope = 'https://www.googleapis.com/auth/cloud-platform';
const serviceTokens = 'https://www.googleapis.com/oauth2/v4/token';
const userTokens = 'https://oauth2.googleapis.com/token';
const assertionSeconds = 35 * 60;
const forms = {
  zh: 'API key，或服务账号的 JSON，或带配额项目的用户的 JSON',
  en: 'of an API key, or of the JSON of a service account or of a user with a quota project',
};

/** @param base the channel's base URL; its origin may issue tokens too, if it stands in for Google */
export function google(text: string, base: string): Authorization {
  const key = readGoogleKey(text);
  if (key === null) return unusable(keyForm(forms));
  if (key.type === 'api_key') return { headers: { 'x-goog-api-key': key.key }, problem: null };
  const address = URL.parse(key.token_uri ?? (key.type === 'service_account' ? serviceTokens : userTokens));
  // The file names the token URL; a malicious file must not send the secret elsewhere.
  if (address === null || !(isGoogles(address) || address.origin === URL.parse(base)?.origin)) {
    return unusable({ code: 'channel_token_address' });
  }
  if (key.type === 'authorized_user') {
    const headers = { 'x-goog-user-project': key.quota_project_id };
    return { headers, problem: null, sign: signer({ text, address }, () => refreshForm(key)) };
  }
  const privateKey = readPrivateKey(key.private_key);
  if (privateKey === null) return unusable({ code: 'channel_private_key' });
  return { headers: {}, problem: null, sign: signer({ text, address }, (now) => assertionForm(key, { address, privateKey, now })) };
}

function unusable(problem: FailureReason): Authorization {
  return { headers: {}, problem };
}

function isGoogles({ protocol, hostname, port }: URL): boolean {
  return protocol === 'https:' && port === '' && hostname.endsWith('.googleapis.com');
}

/** Restores line breaks that were escaped when the file was copied. */
function readPrivateKey(pem: string): KeyObject | null {
  try {
    const key = createPrivateKey(pem.replaceAll('\\n', '\n'));
    // Assertions must be signed by RSA.
    return key.asymmetricKeyType === 'rsa' ? key : null;
  } catch {
    return null;
  }
}

function signer(
  { text, address }: { text: string; address: URL },
  form: (now: number) => URLSearchParams,
): NonNullable<Authorization['sign']> {
  return tokenSigner({
    text,
    address,
    requestAt: (now) => ({
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(form(now).toString()),
    }),
    carry: (request, token) => ({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }),
  });
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
