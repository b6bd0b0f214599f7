// Vertex AI before the fake upstream: gives tokens for signed assertions, and takes calls with one of them alone.
import { createPublicKey, generateKeyPairSync, randomUUID, verify } from 'node:crypto';
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, startFront } from './provider-front.ts';

const project = 'proj-1';
const account = 'svc@proj-1.iam.gserviceaccount.com';
let pair: { publicKey: string; privateKey: string } | undefined;

/** One for all tests of a file. */
export function testKeys(): { publicKey: string; privateKey: string } {
  return (pair ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }));
}

export function serviceAccount(fields: Record<string, string> = {}): string {
  const { privateKey } = testKeys();
  return JSON.stringify({ type: 'service_account', project_id: project, private_key: privateKey, client_email: account, ...fields });
}

export interface FakeVertex extends ProviderFront {
  /** How many tokens were given. */
  readonly given: { count: number };
  /** From now on no assertion is taken. */
  refuse(): void;
  /** No token that was given until now is taken any more. */
  revoke(): void;
}

/** @param judgeFirst of requests with a right token; undefined: it is a call */
export async function startFakeVertex(
  upstreamUrl: string,
  judgeFirst: (request: FrontedRequest) => Judgement | undefined = () => undefined,
): Promise<FakeVertex> {
  const tokens = new Set<string>();
  const given = { count: 0 };
  let isRefusing = false;
  const front = await startFront(upstreamUrl, (request, url) => {
    if (request.path === '/token') {
      const fault = isRefusing ? 'the account is disabled' : assertionFault(request, `${url}/token`);
      if (fault !== null) return { kind: 'answer', status: 400, body: { error: 'invalid_grant', error_description: fault } };
      given.count += 1;
      const token = `ya29.test-${given.count}`;
      tokens.add(token);
      return { kind: 'answer', status: 200, body: { access_token: token, expires_in: 3599, token_type: 'Bearer' } };
    }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined || !tokens.has(token))
      return refusal(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
    const judged = judgeFirst(request);
    return judged?.kind === 'pass'
      ? judgeCall({ ...request, body: Buffer.from(JSON.stringify(judged.body)) })
      : (judged ?? judgeCall(request));
  });
  // A front may get the port of one before it, but no token that was given there.
  const key = serviceAccount({ token_uri: `${front.url}/token`, private_key_id: randomUUID() });
  const channel = { type: 41, key, other: '{"default":"us-central1","claude-sonnet-4-5":"europe-west1"}' };
  return { ...front, given, channel, refuse: () => void (isRefusing = true), revoke: () => tokens.clear() };
}

/** What is wrong with an assertion; null: nothing. */
function assertionFault({ method, headers, body }: FrontedRequest, audience: string): string | null {
  const form = new URLSearchParams(body.toString());
  if (method !== 'POST' || headers['content-type'] !== 'application/x-www-form-urlencoded') return 'no form';
  if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') return 'unknown grant';
  const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
  const isSigned = verify(
    'RSA-SHA256',
    Buffer.from(`${header}.${claims}`),
    createPublicKey(testKeys().publicKey),
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) return 'Invalid JWT Signature.';
  const { iss, aud, iat, exp, scope } = jsonOf(Buffer.from(claims, 'base64url'));
  if (iss !== account || aud !== audience || scope !== 'https://www.googleapis.com/auth/cloud-platform') return 'Invalid claims.';
  return Number(exp) - Number(iat) === 2100 ? null : 'Invalid time.';
}

/** The region that the channel has for the model that callers of these tests name. */
const beginning = `/projects/${project}/locations/europe-west1`;

function judgeCall({ path, body, headers }: FrontedRequest): Judgement {
  const requested = jsonOf(body);
  const [, claude, verb] = new RegExp(`^/v1${beginning}/publishers/anthropic/models/([^/?:]+):(\\w+)(?:\\?alt=sse)?$`).exec(path) ?? [];
  if (claude !== undefined) {
    const { anthropic_version: version, ...message } = requested;
    if (version !== 'vertex-2023-10-16') return refusal(400, 'INVALID_ARGUMENT', 'anthropic_version: Field required');
    if (claude === 'count-tokens') {
      if (typeof message['model'] !== 'string') return refusal(400, 'INVALID_ARGUMENT', 'model: Field required');
      return { kind: 'pass', path: '/v1/messages/count_tokens', body: message };
    }
    if (/"source":\{"type":"url"/.test(body.toString())) return refusal(400, 'INVALID_ARGUMENT', 'URL sources are not supported');
    if ('model' in message) return refusal(400, 'INVALID_ARGUMENT', 'model: Extra inputs are not permitted');
    if ((verb === 'streamRawPredict') !== (message['stream'] === true))
      return refusal(400, 'INVALID_ARGUMENT', 'stream is of another verb');
    const beta = headers['anthropic-beta'];
    const passed = { 'anthropic-version': '2023-06-01', ...(beta === undefined ? {} : { 'anthropic-beta': String(beta) }) };
    return { kind: 'pass', path: '/v1/messages', body: { model: claude, ...message }, headers: passed };
  }
  const google = new RegExp(`^/v1${beginning}/publishers/google(/models/[^/?:]+:\\w+(?:\\?alt=sse)?)$`).exec(path)?.[1];
  if (google !== undefined) return { kind: 'pass', path: `/v1beta${google}`, body: requested };
  if (path === `/v1beta1${beginning}/endpoints/openapi/chat/completions`) {
    return { kind: 'pass', path: '/v1/chat/completions', body: requested };
  }
  return refusal(404, 'NOT_FOUND', `There is nothing at ${path}`);
}

function refusal(code: number, status: string, message: string): Judgement {
  return { kind: 'answer', status: code, body: { error: { code, message, status } } };
}
