// Keys that applications and devices request, and a person allows: OAuth 2.1 with PKCE, the parameters of OpenRouter's `/auth`, and device codes
// (RFC 8628). Server and console read a request by the same rules. Applications are not registered: their name is a claim, and so is their address until
// the code arrives there.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { isClientScheme } from '#shared/links.ts';
import { Token, TokenCreate } from '#shared/tokens.ts';

/** Seconds that codes and device codes are valid. RFC 6749, 4.1.2: at most ten minutes. */
export const codeSeconds = 600;
export const longestCallback = 2000;
export const longestState = 2000;
const longestClient = 200;
/** Characters. */
const longestAppName = 60;
/** US dollars of a new key, unless the application requests less or the person sets another limit. */
export const usualUsd = 5;
export const usualSeconds = 90 * 86_400;

/** `oauth`: `/oauth/authorize`. `openrouter`: `/auth` with `callback_url`. */
export const RequestForm = z.enum(['oauth', 'openrouter']);
export type RequestForm = z.infer<typeof RequestForm>;

/** SHA-256 in base64url: RFC 7636, 4.2. */
const challengePattern = /^[A-Za-z0-9_-]{43}$/;

export const AppRequest = z.object({
  form: RequestForm,
  /** Exactly as the application sent it. */
  callback: z.string().check(z.minLength(1), z.maxLength(longestCallback)),
  /** `client_id`; empty in the form of OpenRouter. */
  client: z.string().check(z.maxLength(longestClient)),
  /** As the application calls itself. */
  name: z.string().check(z.maxLength(2 * longestAppName)),
  challenge: z.string().check(z.regex(challengePattern)),
  /** Sent back with the code. */
  state: z.optional(z.string().check(z.maxLength(longestState))),
});
export type AppRequest = z.infer<typeof AppRequest>;

export interface AppWishes {
  /** US dollars. */
  usd?: number;
  /** Unix seconds. */
  expiry?: number;
}

/** Why a request cannot be allowed. */
export type RequestProblem =
  | 'callback_missing'
  | 'callback_refused'
  | 'client_missing'
  | 'response_type'
  | 'challenge_missing'
  | 'challenge_plain'
  | 'challenge_malformed'
  | 'repeated'
  | 'too_long';

export type ReadRequest =
  | { request: AppRequest; wishes: AppWishes; problem?: undefined }
  /** `callback`: known to be one that may be followed. */
  | { problem: RequestProblem; callback?: string; state?: string; request?: undefined };

/** Reads the query of `/oauth/authorize` or `/auth`. */
export function readAppRequest(form: RequestForm, query: URLSearchParams): ReadRequest {
  const names = [...query.keys()];
  if (new Set(names).size !== names.length) return { problem: 'repeated' };
  const get = (name: string): string => query.get(name) ?? '';
  const callback = get(form === 'oauth' ? 'redirect_uri' : 'callback_url');
  if (callback === '') return { problem: 'callback_missing' };
  const place = callbackPlace(callback);
  if (place === undefined) return { problem: 'callback_refused' };
  const state = query.get('state') ?? undefined;
  const back = { callback, ...(state === undefined ? {} : { state }) };
  const client = get('client_id');
  const refuse = (problem: RequestProblem): ReadRequest => ({ problem, ...back });
  if (client.length > longestClient || (state ?? '').length > longestState) return { problem: 'too_long' };
  if (form === 'oauth' && client === '') return refuse('client_missing');
  if (form === 'oauth' && get('response_type') !== 'code') return refuse('response_type');
  const challenge = get('code_challenge');
  if (challenge === '') return refuse('challenge_missing');
  // Without a method it is `plain`: RFC 7636, 4.3.
  if (get('code_challenge_method') !== 'S256') return refuse('challenge_plain');
  if (!challengePattern.test(challenge)) return refuse('challenge_malformed');
  const claimed = tidyAppName(get(form === 'oauth' ? 'client_name' : 'key_label'));
  const name = claimed === '' ? tidyAppName(nameOfClient(client, place)) : claimed;
  return { request: { form, client, name, challenge, ...back }, wishes: readWishes(get('limit'), get('expires_at')) };
}

function readWishes(limit: string, expiry: string): AppWishes {
  const usd = limit === '' ? Number.NaN : Number(limit);
  const seconds = Math.floor((/^\d+$/.test(expiry) ? Number(expiry) * 1000 : Date.parse(expiry)) / 1000);
  return {
    ...(Number.isFinite(usd) && usd > 0 && usd <= 1_000_000 ? { usd } : {}),
    ...(Number.isSafeInteger(seconds) && seconds > 0 && seconds < 99_999_999_999 ? { expiry: seconds } : {}),
  };
}

function nameOfClient(client: string, place: CallbackPlace): string {
  if (/^https?:\/\//.test(client) && URL.canParse(client)) return new URL(client).host;
  return client === '' ? place.shown : client;
}

/** A name on one line. Characters without a form are dropped: some turn the direction of what follows, so that another name is read. */
export function tidyAppName(given: string): string {
  const text = given
    .normalize('NFC')
    .replace(/\s/gu, ' ')
    .replace(/\p{C}|\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/ +/g, ' ')
    .trim();
  return Array.from(text).slice(0, longestAppName).join('').trim();
}

export interface CallbackPlace {
  kind: 'web' | 'loopback' | 'scheme';
  /** Host with port, with `xn--` for letters that could pass for others; or the scheme. */
  shown: string;
}

/** Parameters that are added to a callback. One that is there already could be taken for the answer. */
const answerNames = ['code', 'error', 'iss'] as const;
const loopbackHosts: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);
/** Editors that registered a scheme without a dot. */
const editorSchemes: ReadonlySet<string> = new Set(['cursor', 'vscode', 'vscode-insiders', 'vscodium', 'windsurf', 'zed']);

/**
 * Where a code would be sent; undefined: no code may be sent there. `https:`, the own machine by `http:`, and schemes of programs, which have a dot
 * (RFC 8252, 7.1) or are known by name. A scheme of the browser, such as `javascript:`, is none of them.
 */
export function callbackPlace(callback: string): CallbackPlace | undefined {
  if (callback.length > longestCallback || !/^[\x21-\x7e]+$/.test(callback) || /[\\#"<>^`{|}]/.test(callback) || !URL.canParse(callback)) {
    return undefined;
  }
  const { protocol, hostname, host, username, password, searchParams } = new URL(callback);
  if (username !== '' || password !== '' || answerNames.some((name) => searchParams.has(name))) return undefined;
  const scheme = protocol.slice(0, -1);
  if (scheme === 'https' || scheme === 'http') {
    // Browsers read `https:example.com` and `https:/example.com` in their own way.
    if (!/^https?:\/\/[^/]/i.test(callback)) return undefined;
    const isLoopback = loopbackHosts.has(hostname);
    if (scheme === 'http' && !isLoopback) return undefined;
    return { kind: isLoopback ? 'loopback' : 'web', shown: host };
  }
  const isOfProgram = /^[a-z][a-z\d+-]*(\.[a-z\d+-]+)+$/.test(scheme) || isClientScheme(scheme) || editorSchemes.has(scheme);
  return isOfProgram ? { kind: 'scheme', shown: `${scheme}:` } : undefined;
}

/** The callback with further parameters, in the order given. */
export function callbackWith(callback: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const added = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) added.set(name, value);
  // The application's own parameters stay as they are.
  return `${callback}${callback.includes('?') ? '&' : '?'}${added.toString()}`;
}

/** Identifies an application among those that a person has allowed. A program's name, other than the origin of a site, proves nothing. */
export function appRefOf({ callback, client, name }: Pick<AppRequest, 'callback' | 'client' | 'name'>): string {
  const place = callbackPlace(callback);
  if (place?.kind === 'web') return `https://${place.shown}`;
  return `${place?.kind ?? 'device'}:${client === '' ? name : client}`.slice(0, 2 * longestClient);
}

/** Letters of user codes: no vowels, so that no words come about. RFC 8628, 6.1. */
export const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ';
export const userCodeLength = 8;

/** A typed user code as it is compared; undefined: it cannot be one. */
export function tidyUserCode(typed: string): string | undefined {
  const code = typed.toUpperCase().replace(/[^A-Z]/g, '');
  return code.length === userCodeLength && Array.from(code).every((letter) => userCodeLetters.includes(letter)) ? code : undefined;
}

/** As people read it: `BCDF-GHJK`. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, userCodeLength / 2)}-${code.slice(userCodeLength / 2)}`;
}

const TokenId = z.int().check(z.minimum(1));

/**
 * What is allowed. `new`: a key of its own. `renew`: the key that this application has, with its limits and figures, under a new secret; the one before
 * ends. `replace`: a new key, and the one of `token_id` is deleted.
 */
export const KeyGrant = z.object({
  way: z.enum(['new', 'renew', 'replace']),
  token_id: z.optional(TokenId),
  limits: z.omit(TokenCreate, { count: true }),
});
export type KeyGrant = z.infer<typeof KeyGrant>;

export const DeviceRequest = z.object({
  name: z.string(),
  client: z.string(),
  /** Address and program that requested the code. */
  ip: z.string(),
  user_agent: z.string(),
  /** Whether the request comes from the network of the reader. */
  is_same_network: z.boolean(),
  /** Unix seconds. */
  created_at: z.int(),
  expires_at: z.int(),
});
export type DeviceRequest = z.infer<typeof DeviceRequest>;

const UserCode = z.string().check(z.minLength(1), z.maxLength(40));

export const appAuthorizationApi = {
  /** Own keys that were handed to applications, newest first; keys are masked. */
  list: endpoint('GET', '/api/app_authorization/', {
    access: 'user',
    reply: z.array(Token),
    summary: 'List the applications that have a key of the caller',
  }),
  /** Returns the address that the browser is sent to, with the code. */
  approve: endpoint('POST', '/api/app_authorization/', {
    access: 'user',
    audit: { exempt: 'jobs' },
    body: z.object({ request: AppRequest, grant: KeyGrant }),
    reply: z.object({ redirect_to: z.string() }),
    summary: 'Allow an application a key of its own',
  }),
  openDevice: endpoint('POST', '/api/app_authorization/device', {
    access: 'user',
    audit: { exempt: 'reads' },
    body: z.object({ user_code: UserCode }),
    reply: DeviceRequest,
    summary: 'Read the request of a device by its user code',
  }),
  /** Without `grant` the device is refused. */
  decideDevice: endpoint('POST', '/api/app_authorization/device/decide', {
    access: 'user',
    audit: { exempt: 'jobs' },
    body: z.object({ user_code: UserCode, grant: z.optional(KeyGrant) }),
    summary: 'Allow or refuse a device a key of its own',
  }),
};
