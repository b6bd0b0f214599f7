// Caller of the console API over a real socket: stores its cookie, sends its user id, returns the envelope.
import { request as sendRequest } from 'undici';
import type { Language } from '#shared/errors.ts';

export interface TestResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The answer's body: parsed JSON, or its text. */
  body: unknown;
  success: boolean;
  message: string;
  code: string | undefined;
  field: string | undefined;
  // Tests look into answers whose shape they assert.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any;
}

export interface CallOptions {
  headers?: Record<string, string>;
  /** Sent as it is, instead of JSON of the body. */
  rawBody?: string | Uint8Array;
}

export interface TestClient {
  readonly cookie: string | null;
  readonly userId: number | null;
  setUser(id: number | null): void;
  setCookie(value: string | null): void;
  /** What the caller reads, sent with every call from now on. */
  setLanguage(language: Language): void;
  call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | 'HEAD',
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<TestResponse>;
  get(path: string, options?: CallOptions): Promise<TestResponse>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<TestResponse>;
  put(path: string, body?: unknown, options?: CallOptions): Promise<TestResponse>;
  delete(path: string, options?: CallOptions): Promise<TestResponse>;
}

export function createClient(origin: string): TestClient {
  let cookie: string | null = null;
  const otherCookies = new Map<string, string>();
  let userId: number | null = null;
  let language: Language | null = null;

  const call: TestClient['call'] = async (method, path, body, options = {}) => {
    const cookies = [...(cookie === null ? [] : [cookie]), ...otherCookies.values()].join('; ');
    const headers: Record<string, string> = {
      ...(userId === null ? {} : { 'new-api-user': String(userId) }),
      ...(cookies === '' ? {} : { cookie: cookies }),
      ...(language === null ? {} : { 'accept-language': language }),
      ...(body === undefined && options.rawBody === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    };
    const payload = options.rawBody ?? (body === undefined ? null : JSON.stringify(body));
    const response = await sendRequest(`${origin}${path}`, { method, headers, body: payload });
    for (const setCookie of [response.headers['set-cookie'] ?? []].flat()) {
      const [pair = ''] = setCookie.split(';');
      if (pair.startsWith('session=')) cookie = pair === 'session=' ? null : pair;
      else otherCookies.set(pair.split('=', 1)[0] ?? '', pair);
    }
    return toAnswer(response.statusCode, response.headers, await response.body.text());
  };

  return {
    get cookie() {
      return cookie;
    },
    get userId() {
      return userId;
    },
    setUser(id) {
      userId = id;
    },
    setCookie(value) {
      cookie = value;
    },
    setLanguage(spoken) {
      language = spoken;
    },
    call,
    get: (path, options) => call('GET', path, undefined, options),
    post: (path, body, options) => call('POST', path, body, options),
    put: (path, body, options) => call('PUT', path, body, options),
    delete: (path, options) => call('DELETE', path, undefined, options),
  };
}

function toAnswer(status: number, headers: TestResponse['headers'], text: string): TestResponse {
  const body = parse(text);
  const field = (name: string): unknown =>
    typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body).find(([key]) => key === name)?.[1] : undefined;
  const textField = (name: string) => {
    const value = field(name);
    return typeof value === 'string' ? value : undefined;
  };
  return {
    status,
    headers,
    body,
    success: field('success') === true,
    message: textField('message') ?? '',
    code: textField('code'),
    field: textField('field'),
    data: field('data'),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
