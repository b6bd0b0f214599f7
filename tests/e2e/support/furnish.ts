// What an installation that has been used for a while holds, made through the server's own calls.
import type { Tidegate } from './tidegate.ts';

export const owner = { username: 'harbour', password: 'lantern-and-rope' };
export const models = ['gpt-4o-mini', 'gpt-4o'];

export interface Furnished {
  /** With `sk-`. */
  key: string;
  api: Api;
}

export interface Api {
  get(path: string): Promise<unknown>;
  post(path: string, body: unknown): Promise<unknown>;
  put(path: string, body: unknown): Promise<unknown>;
  /** Content of a file. */
  upload(method: 'POST' | 'PUT', path: string, content: string | Uint8Array<ArrayBuffer>): Promise<unknown>;
}

/** Set up, with a channel, tokens, some calls in the log, and one more user. */
export async function furnish(tidegate: Tidegate): Promise<Furnished> {
  await furnishNothing(tidegate);
  const api = await signInByApi(tidegate.url, owner);
  await api.post('/api/channel/', channelBody(tidegate));
  await api.post('/api/channel/', { ...channelBody(tidegate), name: 'Spare', priority: -1, status: 2 });
  const key = keyOf(await api.post('/api/token/', { name: 'Field notebook', unlimited_quota: true, expired_time: -1 }));
  await api.post('/api/token/', { name: 'Visitors', remain_quota: 250_000, expired_time: -1 });
  await api.post('/api/user/', { username: 'keeper', password: 'another-lantern', display_name: 'Keeper' });
  for (const isStream of [true, false, true]) await chat(tidegate.url, key, { stream: isStream });
  return { key, api };
}

/** Set up, and nothing else. */
export async function furnishNothing({ url }: Tidegate): Promise<void> {
  await createApi(url, {}).post('/api/setup', { ...owner, confirmPassword: owner.password });
}

export function channelBody(tidegate: Tidegate): Record<string, unknown> {
  const { url } = tidegate.upstream;
  return { type: 1, name: 'Harbour mouth', key: 'upstream-key', base_url: url, models: models.join(','), groups: ['default'] };
}

/** @param headers of every call: `{ 'openai-organization': 'org-5' }` */
export async function signInByApi(
  url: string,
  account: { username: string; password: string },
  headers: Record<string, string> = {},
): Promise<Api> {
  const response = await fetch(`${url}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  });
  const { id } = dataOf('/api/user/login', await response.json()) as { id: number };
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  return createApi(url, { cookie, 'new-api-user': String(id), ...headers });
}

export interface ChatAnswer {
  status: number;
  /** The answer's text, of a stream the pieces together. */
  text: string;
  /** How many pieces it came in. */
  events: number;
}

/** What a client of the OpenAI format sends. */
export async function chat(
  url: string,
  key: string,
  options: { stream: boolean; model?: string; signal?: AbortSignal },
): Promise<ChatAnswer> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({
      model: options.model ?? 'gpt-4o-mini',
      stream: options.stream,
      messages: [{ role: 'user', content: 'When does the tide turn?' }],
    }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`The call failed with ${response.status}: ${body}`);
  if (!options.stream) return { status: response.status, text: JSON.parse(body).choices[0].message.content, events: 1 };
  const events = body
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => line.slice(6));
  if (events.at(-1) !== '[DONE]') throw new Error(`The stream did not end properly: ${body.slice(-300)}`);
  const pieces = events.slice(0, -1).map((event): string => JSON.parse(event).choices[0]?.delta.content ?? '');
  return { status: response.status, text: pieces.join(''), events: pieces.length };
}

function createApi(url: string, headers: Record<string, string>): Api {
  const send = async (method: string, path: string, type?: string, body?: string | Uint8Array<ArrayBuffer>): Promise<unknown> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(type === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body }),
    });
    return dataOf(path, await response.json());
  };
  const sendJson = (method: string) => (path: string, body: unknown) => send(method, path, 'application/json', JSON.stringify(body));
  return {
    get: (path) => send('GET', path),
    post: sendJson('POST'),
    put: sendJson('PUT'),
    upload: (method, path, content) => send(method, path, 'application/octet-stream', content),
  };
}

function dataOf(path: string, answer: unknown): unknown {
  const { success, message, data } = answer as { success: boolean; message: string; data: unknown };
  if (!success) throw new Error(`${path} was refused: ${message}`);
  return data;
}

/** Of the token that a creation answered with. */
export function keyOf(tokens: unknown): string {
  const [token] = tokens as { key: string }[];
  if (token === undefined) throw new Error('No token was created');
  return `sk-${token.key}`;
}
