// Which headers go up with a call and which come down with its answer: none but those that a format names, in either direction.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

/** Of the provider's account, host and books. */
const ofProvider = {
  'openai-organization': 'org-of-the-operator',
  'openai-project': 'proj_operator',
  'anthropic-organization-id': 'org-of-the-operator',
  'x-request-id': 'req_upstream',
  'request-id': 'req_upstream',
  'x-oneapi-request-id': 'req_upstream',
  'x-ratelimit-remaining-requests': '17',
  'anthropic-ratelimit-tokens-remaining': '17',
  'openai-processing-ms': '42',
  'set-cookie': '__cf_bm=secret',
  server: 'upstream.example',
  via: '1.1 upstream.example',
  'cf-ray': 'ray',
  location: 'https://upstream.example/',
  'x-amzn-requestid': 'req_upstream',
  'strict-transport-security': 'max-age=1',
  'access-control-allow-origin': 'https://upstream.example',
};
/** What must not reach a provider: who calls, from where, with which key. */
const ofCaller = {
  cookie: 'session=secret',
  referer: 'https://caller.example/',
  origin: 'https://caller.example',
  'x-forwarded-for': '203.0.113.9',
  'x-real-ip': '203.0.113.9',
  forwarded: 'for=203.0.113.9',
  'openai-organization': 'org-of-the-caller',
  'openai-project': 'proj_caller',
  'x-goog-user-project': 'caller',
  'helicone-auth': 'Bearer caller',
  'x-stainless-os': 'Linux',
  'user-agent': 'caller/1.0',
  'x-anything': 'caller',
};

const messages = [{ role: 'user', content: 'Hi' }];
const models = { openai: 'tide-1', claude: 'claude-sonnet-4-5', gemini: 'gemini-2.5-flash' };
const callers = [
  { path: () => '/v1/chat/completions', body: { messages } },
  { path: () => '/v1/responses', body: { input: 'Hi' } },
  { path: () => '/v1/messages', body: { max_tokens: 9, messages } },
  {
    path: (model: string, stream: boolean) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: null,
  },
];
const cases = callers.flatMap(({ path, body }) =>
  Object.entries(models).flatMap(([provider, model]) =>
    [false, true].map((stream) => {
      const requested = body === null ? { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] } : { model, stream, ...body };
      return { path: path(model, stream), provider, stream, requested };
    }),
  ),
);

describe('headers', () => {
  let open: RelayScene | undefined;
  const scene = () => {
    if (open === undefined) throw new Error('There is no scene outside a test');
    return open;
  };
  beforeAll(async () => {
    const channels = [
      { type: 1, models: models.openai, key: 'sk-of-the-channel' },
      { type: 14, models: models.claude, key: 'sk-of-the-channel' },
      { type: 24, models: models.gemini, key: 'sk-of-the-channel' },
    ];
    open = await createScene(embeddedEngine, { settings: { SelfUseModeEnabled: 'true', RetryTimes: '0' }, channels });
  });
  afterAll(() => scene()[Symbol.asyncDispose]());

  test.each(cases)('$path of a provider of $provider, stream: $stream', async ({ path, requested }) => {
    for (const status of [200, 400]) {
      const index = scene().upstream.requests.length;
      scene().upstream.behave({ headers: ofProvider, ...(status === 200 ? {} : { status }) });
      const response = await scene().post(path, requested, ofCaller);
      const text = await response.text();
      expect([response.status, text]).toEqual([status, expect.any(String)]);
      const down = JSON.stringify([...response.headers]);
      for (const secret of ['operator', 'req_upstream', 'upstream.example', '__cf_bm', 'sk-of-the-channel']) {
        expect(down).not.toContain(secret);
        expect(text).not.toContain(secret);
      }
      const names = [...response.headers.keys()];
      for (const name of ['x-ratelimit-remaining-requests', 'anthropic-ratelimit-tokens-remaining', 'openai-processing-ms', 'cf-ray'])
        expect(names).not.toContain(name);
      const { headers } = await scene().upstream.request(index);
      const up = JSON.stringify(headers);
      for (const secret of ['caller', 'session=secret', '203.0.113.9', scene().key]) expect(up).not.toContain(secret);
      expect(up).toContain('sk-of-the-channel');
    }
  });
});
