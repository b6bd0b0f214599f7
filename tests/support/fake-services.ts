// Stand-ins for the services of sign-in, on one socket: each speaks its protocol over HTTP, with codes that count once, clients that prove who
// they are, PKCE, and real signatures.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** Who is signed in at a service, and agrees to everything. */
export interface ServicePerson {
  sub: string;
  /** Of GitHub and Linux DO. */
  id: number;
  login: string;
  name: string;
  email: string;
  isEmailVerified: boolean;
  trustLevel: number;
  isActive: boolean;
  isSilenced: boolean;
}

export interface ServiceRules {
  /** Answers every request with that status. */
  status?: number;
  /** Only this path is out of order. */
  failsAt?: string;
  /** Never answers. */
  isSilent?: boolean;
  /** Hangs up without an answer. */
  hangsUp?: boolean;
  /** Fields of the ID token that are not as they should be. */
  idToken?: Record<string, unknown>;
  /** The ID token is signed with a key that the provider does not publish. */
  isForged?: boolean;
  /** The user info belongs to another person. */
  userInfoSub?: string;
  /** Offered ways for clients to prove who they are. */
  authMethods?: readonly string[];
  /** GitHub reports no e-mail addresses. */
  hidesEmails?: boolean;
}

export interface FakeServices extends AsyncDisposable {
  readonly url: string;
  readonly requests: { path: string; authorization: string | undefined; form: URLSearchParams }[];
  person: ServicePerson;
  rules: ServiceRules;
  /** Codes that the WeChat server has handed out, and to whom. */
  readonly weChatCodes: Map<string, string>;
  /** Tokens of Turnstile that are good, once. */
  readonly humanTokens: Set<string>;
  /** What Telegram signs, with the fields that its widget hands over. */
  telegram(fields: Record<string, string>): Record<string, string>;
  close(): Promise<void>;
}

export const clientId = 'tidegate';
export const clientSecret = 'a secret of & and = and : signs';
export const weChatToken = 'wechat-server-token';
export const botToken = '7000001:AAtelegram-bot-token';
export const humanSecret = 'turnstile-secret';

const somebody: ServicePerson = {
  sub: 'subject-1',
  id: 4711,
  login: 'mira',
  name: 'Mira Lin',
  email: 'mira@example.org',
  isEmailVerified: true,
  trustLevel: 2,
  isActive: true,
  isSilenced: false,
};

interface Grant {
  person: ServicePerson;
  redirectUri: string | null;
  challenge: string | null;
  nonce: string | null;
}

export async function startFakeServices(now: () => number = Date.now): Promise<FakeServices> {
  const [published, secretKey] = await Promise.all([generateKeyPair('ES256', { extractable: true }), generateKeyPair('ES256')]);
  const jwk = { ...(await exportJWK(published.publicKey)), kid: 'key-1', alg: 'ES256', use: 'sig' };
  const grants = new Map<string, Grant>();
  const tokens = new Map<string, ServicePerson>();
  const requests: FakeServices['requests'] = [];
  const weChatCodes = new Map<string, string>();
  const humanTokens = new Set<string>();

  const server = createServer((request, response) => {
    void serve(request, response).catch((failure: unknown) => response.destroy(failure instanceof Error ? failure : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = new URL(request.url ?? '/', url);
    const form = new URLSearchParams(await textOf(request));
    const { authorization } = request.headers;
    requests.push({ path: target.pathname, authorization, form });
    if (services.rules.isSilent === true) return;
    if (services.rules.hangsUp === true) return void response.destroy();
    if (services.rules.status !== undefined) return send(response, { error: 'out of order' }, services.rules.status);
    if (services.rules.failsAt === target.pathname) return send(response, { error: 'out of order' }, 500);
    switch (target.pathname) {
      case '/.well-known/openid-configuration':
        return send(response, discovery());
      case '/jwks':
        return send(response, { keys: [jwk] });
      case '/authorize':
      case '/login/oauth/authorize':
      case '/oauth2/authorize':
        return authorize(target, response);
      case '/token':
        return answerToken(response, form, authorization, { isOidc: true });
      case '/login/oauth/access_token':
        // GitHub responds with a form unless JSON is requested, and refuses with status 200.
        return answerToken(response, form, authorization, { refusal: 200 });
      case '/oauth2/token':
        return answerToken(response, form, authorization, { needsBasic: true });
      case '/userinfo':
        return withPerson(response, authorization, (person) => ({
          sub: services.rules.userInfoSub ?? person.sub,
          preferred_username: person.login,
          name: person.name,
          email: person.email,
          email_verified: person.isEmailVerified,
        }));
      case '/user':
        return withPerson(response, authorization, ({ id, login, name }) => ({ id, login, name, email: null }));
      case '/user/emails':
        if (services.rules.hidesEmails === true) return send(response, { message: 'Not Found' }, 404);
        return withPerson(response, authorization, ({ email, isEmailVerified }) => [
          { email: 'other@example.org', primary: false, verified: true },
          { email, primary: true, verified: isEmailVerified },
        ]);
      case '/api/user':
        return withPerson(response, authorization, ({ id, login, name, trustLevel, isActive, isSilenced }) => ({
          id,
          username: login,
          name,
          active: isActive,
          trust_level: trustLevel,
          silenced: isSilenced,
        }));
      case '/api/wechat/user':
        return answerWeChat(target, response, authorization);
      case '/turnstile/v0/siteverify':
        return answerTurnstile(response, form);
      case '/auth':
        return answerTelegram(target, response);
      default:
        return send(response, {}, 404);
    }
  }

  function discovery() {
    return {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      userinfo_endpoint: `${url}/userinfo`,
      jwks_uri: `${url}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      ...(services.rules.authMethods === undefined ? {} : { token_endpoint_auth_methods_supported: services.rules.authMethods }),
    };
  }

  /** The person agrees, and the browser goes back with a code. */
  function authorize({ pathname, searchParams }: URL, response: ServerResponse): void {
    if (searchParams.get('client_id') !== clientId) return send(response, { error: 'unauthorized_client' }, 400);
    const redirectUri = searchParams.get('redirect_uri');
    const code = randomBytes(16).toString('hex');
    grants.set(code, {
      person: { ...services.person },
      redirectUri,
      challenge: searchParams.get('code_challenge'),
      nonce: searchParams.get('nonce'),
    });
    const back = new URL(redirectUri ?? 'http://localhost:3000/oauth/registered');
    back.searchParams.set('code', code);
    back.searchParams.set('state', searchParams.get('state') ?? '');
    if (pathname === '/authorize') back.searchParams.set('iss', url);
    response.writeHead(302, { location: back.href }).end();
  }

  async function answerToken(
    response: ServerResponse,
    form: URLSearchParams,
    authorization: string | undefined,
    { isOidc = false, needsBasic = false, refusal = 400 }: { isOidc?: boolean; needsBasic?: boolean; refusal?: number },
  ): Promise<void> {
    const refuse = (error: string) => send(response, { error, error_description: `refused: ${error}` }, refusal);
    if (!isClient(form, authorization, needsBasic)) return refuse('invalid_client');
    const code = form.get('code') ?? '';
    const grant = grants.get(code);
    grants.delete(code);
    if (grant === undefined || form.get('grant_type') !== 'authorization_code') return refuse('invalid_grant');
    if (grant.redirectUri !== form.get('redirect_uri')) return refuse('invalid_grant');
    const verifier = form.get('code_verifier');
    const proof = verifier === null ? null : createHash('sha256').update(verifier).digest('base64url');
    if (grant.challenge !== proof) return refuse('invalid_grant');
    const accessToken = randomBytes(16).toString('hex');
    tokens.set(accessToken, grant.person);
    const idToken = isOidc ? { id_token: await signIdToken(grant) } : {};
    return send(response, { access_token: accessToken, token_type: 'bearer', scope: 'any', ...idToken });
  }

  function signIdToken({ person, nonce }: Grant): Promise<string> {
    const seconds = Math.floor(now() / 1000);
    const claims = { iss: url, aud: clientId, sub: person.sub, iat: seconds, exp: seconds + 300, ...(nonce === null ? {} : { nonce }) };
    return new SignJWT({ ...claims, ...services.rules.idToken })
      .setProtectedHeader({ alg: 'ES256', kid: 'key-1' })
      .sign(services.rules.isForged === true ? secretKey.privateKey : published.privateKey);
  }

  function withPerson(response: ServerResponse, authorization: string | undefined, body: (person: ServicePerson) => unknown): void {
    const person = tokens.get(/^bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '');
    return person === undefined ? send(response, { error: 'invalid_token' }, 401) : send(response, body(person));
  }

  function answerWeChat({ searchParams }: URL, response: ServerResponse, authorization: string | undefined): void {
    if (authorization !== weChatToken) return send(response, { success: false, message: '令牌无效', data: '' });
    const code = searchParams.get('code') ?? '';
    const openId = weChatCodes.get(code) ?? '';
    weChatCodes.delete(code);
    return send(response, { success: true, message: '', data: openId });
  }

  function answerTurnstile(response: ServerResponse, form: URLSearchParams): void {
    const isGood = form.get('secret') === humanSecret && humanTokens.delete(form.get('response') ?? '');
    return send(response, { success: isGood, 'error-codes': isGood ? [] : ['timeout-or-duplicate'] });
  }

  /** Without a window that opened it Telegram sends the browser back with the answer behind the `#`. */
  function answerTelegram({ searchParams }: URL, response: ServerResponse): void {
    const { id, login, name } = services.person;
    const signed = telegram({ id: String(id), first_name: name, username: login });
    const result = Buffer.from(JSON.stringify({ ...signed, id, auth_date: Number(signed['auth_date']) })).toString('base64url');
    response.writeHead(302, { location: `${searchParams.get('return_to') ?? ''}#tgAuthResult=${result}` }).end();
  }

  function telegram(fields: Record<string, string>): Record<string, string> {
    const all: Record<string, string> = { auth_date: String(Math.floor(now() / 1000)), ...fields };
    const lines = Object.entries(all).map(([name, value]) => `${name}=${value}`);
    const key = createHash('sha256').update(botToken).digest();
    return { ...all, hash: createHmac('sha256', key).update(lines.toSorted().join('\n')).digest('hex') };
  }

  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const services: FakeServices = {
    url,
    requests,
    person: { ...somebody },
    rules: {},
    weChatCodes,
    humanTokens,
    telegram,
    close,
    [Symbol.asyncDispose]: close,
  };
  return services;
}

/** RFC 6749, 2.3.1: by HTTP Basic with both parts encoded as in forms, or in the body. */
function isClient(form: URLSearchParams, authorization: string | undefined, needsBasic: boolean): boolean {
  const encoded = /^basic (.+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return !needsBasic && form.get('client_id') === clientId && form.get('client_secret') === clientSecret;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':');
  return fromForm(id) === clientId && fromForm(secret) === clientSecret;
}

function fromForm(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

function send(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
