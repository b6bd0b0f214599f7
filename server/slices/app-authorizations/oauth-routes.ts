// What applications call: OAuth 2.1's token endpoint, RFC 8628's device endpoint, the metadata of RFC 8414, and OpenRouter's exchange of a code.
import { tidyAppName } from '#shared/app-authorizations.ts';
import { AppError } from '#shared/errors.ts';
import type { RequestFacts } from '#server/http/call.ts';
import type { Connection } from '#server/http/connection.ts';
import { toAppError } from '#server/http/failure.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { parseJson, textOf } from '#server/http/parse-body.ts';
import { dropBody, readBody } from '#server/http/read-body.ts';
import { addressOfRequest } from '#server/settings/address-of-request.ts';
import { beginDevice, pollDevice } from './device-codes.ts';
import { OAuthRefusal, refuse } from './oauth-refusal.ts';
import { redeemCode, type Redeemed } from './redeem-code.ts';

const mostBytes = 16 * 1024;
const longestValue = 2000;
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const metadataPath = '/.well-known/oauth-authorization-server';

export function mountOAuthServer(host: RouteHost): void {
  const { env } = host.context;
  // RFC 8414, 3.1: the path of an issuer comes after the well-known one.
  for (const path of new Set([metadataPath, `${metadataPath}${env.BASE_PATH}`])) {
    host.add('GET', path, (request, _params, connection) => {
      const facts = host.facts(request, connection);
      return answer(facts, metadataOf(addressOfRequest(host.context, facts)));
    });
  }
  serve(host, '/oauth/token', async (facts, read) => tokenAnswer(host, facts, formOf(facts, await read())));
  serve(host, '/oauth/device_authorization', async (facts, read) => {
    await host.limit(facts, null);
    const form = formOf(facts, await read());
    const client = form.get('client_id') ?? '';
    if (client === '' || client.length > 200) return refuse('invalid_request', 'client_id is required, with at most 200 characters');
    const name = tidyAppName(form.get('client_name') ?? '') || tidyAppName(client);
    if (name === '') return refuse('invalid_request', 'client_id has no visible character');
    const codes = await beginDevice(host.context, facts, { client, name });
    const page = `${addressOfRequest(host.context, facts)}/device`;
    return { ...codes, verification_uri: page, verification_uri_complete: `${page}?user_code=${codes.user_code}` };
  });
  mountOpenRouter(host);
}

type Read = () => Promise<string>;

/** Mounts an endpoint whose errors have the form of OAuth. */
function serve(host: RouteHost, path: string, handle: (facts: RequestFacts, read: Read) => Promise<object>): void {
  host.add('POST', path, async (request, _params, connection) => {
    const facts = host.facts(request, connection);
    try {
      return answer(facts, await handle(facts, () => readText(host, facts, request, connection)));
    } catch (failure) {
      if (connection !== null) dropBody(connection);
      const { status, error, description, retryAfter } = refusalOf(host, facts, failure);
      return answer(facts, { error, error_description: description }, status, retryAfter);
    }
  });
}

interface Refusal {
  status: number;
  error: string;
  description: string;
  retryAfter?: number | undefined;
}

function refusalOf({ context }: RouteHost, { requestId }: RequestFacts, failure: unknown): Refusal {
  if (failure instanceof OAuthRefusal) {
    return { status: failure.error === 'temporarily_unavailable' ? 503 : 400, error: failure.error, description: failure.message };
  }
  const { code, status, retryAfter } = toAppError(failure, context, requestId);
  if (code === 'rate_limited') return { status: 429, error: 'slow_down', description: 'Too many requests, try again later', retryAfter };
  if (status >= 500) {
    const error = status === 503 ? 'temporarily_unavailable' : 'server_error';
    return { status, error, description: 'The server cannot answer now, try again later', retryAfter };
  }
  return { status: status < 400 ? 400 : status, error: 'invalid_request', description: `The request cannot be read (${code})` };
}

function answer({ requestId }: RequestFacts, body: object, status = 200, retryAfter?: number): Response {
  return Response.json(body, {
    status,
    headers: {
      'cache-control': 'no-store',
      pragma: 'no-cache',
      'x-oneapi-request-id': requestId,
      ...(retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter)) }),
    },
  });
}

async function readText(host: RouteHost, { ip }: RequestFacts, request: Request, connection: Connection | null): Promise<string> {
  const { bodies } = host.context;
  const hold = bodies.open(`address:${ip}`);
  try {
    return textOf(await readBody({ request, connection, limit: mostBytes, hold, watch: bodies.watch }));
  } finally {
    hold.shrinkTo(0);
  }
}

/** @throws {OAuthRefusal} `invalid_request`, also for a parameter that occurs twice (RFC 6749, 3.2) */
function formOf({ headers }: RequestFacts, text: string): URLSearchParams {
  if (!/^application\/x-www-form-urlencoded\b/i.test(headers.get('content-type') ?? '')) {
    return refuse('invalid_request', 'The body must be application/x-www-form-urlencoded');
  }
  const form = new URLSearchParams(text);
  const names = [...form.keys()];
  if (new Set(names).size !== names.length) return refuse('invalid_request', 'A parameter occurs twice');
  if ([...form.values()].some((value) => value.length > longestValue)) return refuse('invalid_request', 'A parameter is too long');
  return form;
}

async function tokenAnswer(host: RouteHost, facts: RequestFacts, form: URLSearchParams): Promise<object> {
  const { context } = host;
  const client = form.get('client_id') ?? '';
  switch (form.get('grant_type')) {
    case 'authorization_code': {
      await host.limit(facts, null);
      const callback = form.get('redirect_uri') ?? undefined;
      const verifier = form.get('code_verifier') ?? '';
      if (verifier === '') return refuse('invalid_request', 'code_verifier is required: PKCE with S256');
      return keyAnswer(context.now(), await redeemCode(context, facts, { code: form.get('code') ?? '', verifier, callback, client }));
    }
    case deviceGrant:
      return keyAnswer(context.now(), await pollDevice(context, facts, { deviceCode: form.get('device_code') ?? '', client }));
    case null:
      return refuse('invalid_request', 'grant_type is required');
    default:
      return refuse('unsupported_grant_type', `grant_type must be authorization_code or ${deviceGrant}`);
  }
}

function keyAnswer(now: number, { key, token, user }: Redeemed): object {
  const { expired_time: expiry } = token;
  return {
    access_token: `sk-${key}`,
    token_type: 'Bearer',
    ...(expiry === -1 ? {} : { expires_in: Math.max(0, expiry - Math.floor(now / 1000)) }),
    user_id: String(user.id),
  };
}

function metadataOf(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    device_authorization_endpoint: `${issuer}/oauth/device_authorization`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', deviceGrant],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}

/** `POST /api/v1/auth/keys` of OpenRouter, which arrives as `/v1/auth/keys`. Its errors have numbers: https://openrouter.ai/docs/use-cases/oauth-pkce */
function mountOpenRouter(host: RouteHost): void {
  const path = '/v1/auth/keys';
  const fail = (facts: RequestFacts, code: number, message: string, retryAfter?: number) =>
    answer(facts, { error: { code, message }, user_id: null }, code, retryAfter);
  host.add('GET', path, (request, _params, connection) => {
    const response = fail(host.facts(request, connection), 405, 'Method Not Allowed: use POST');
    response.headers.set('allow', 'POST');
    return response;
  });
  host.add('POST', path, async (request, _params, connection) => {
    const facts = host.facts(request, connection);
    try {
      await host.limit(facts, null);
      const body: unknown = parseJson(await readText(host, facts, request, connection));
      const { code, code_verifier: verifier, code_challenge_method: method } = textsOf(body);
      if (method !== undefined && method !== 'S256') return fail(facts, 400, 'Invalid code_challenge_method: only S256 is supported');
      if (code === undefined) return fail(facts, 400, 'code is required');
      const { key, user } = await redeemCode(host.context, facts, { code, verifier: verifier ?? '' });
      return answer(facts, { key: `sk-${key}`, user_id: String(user.id) });
    } catch (failure) {
      if (connection !== null) dropBody(connection);
      if (failure instanceof OAuthRefusal) return fail(facts, 403, 'Invalid code or code_verifier');
      const { status, description, retryAfter } = refusalOf(host, facts, failure);
      return fail(facts, status, description, retryAfter);
    }
  });
}

function textsOf(body: unknown): Partial<Record<string, string>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new AppError('invalid_parameter');
  return Object.fromEntries(
    Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].length <= longestValue),
  );
}
