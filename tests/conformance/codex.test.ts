// ChatGPT accounts: requests, and responses, which are streams only. The stand-in accepts only what the vendor's client sends.
import { describe, expect, test } from 'vitest';
import { upstreamDialects } from '#server/formats/registry.ts';
import { framings } from '#server/framing/registry.ts';
import { EventSieve } from '#server/exchange/event-sieve.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { engines } from '#tests/support/engines.ts';
import { codexKey, type FakeCodex, startFakeCodex } from '#tests/support/fake-codex.ts';
import { createScene, type SceneOptions } from '#tests/support/relay-scene.ts';
import { problemText } from '#tests/support/problem-text.ts';

const model = 'gpt-5.6-sol';
const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Tide?' },
];
const [, question] = messages;
const calls: readonly { path: string; body: Record<string, unknown> }[] = [
  { path: '/v1/chat/completions', body: { messages, temperature: 0.5, max_tokens: 50, user: 'u1', seed: 1 } },
  { path: '/v1/messages', body: { system: 'Be brief.', messages: [question], max_tokens: 50, metadata: { user_id: 'u1' } } },
  { path: '/v1/responses', body: { input: 'Tide?', max_output_tokens: 50, metadata: { run: '1' }, store: false } },
  { path: '/v1/responses', body: { input: messages, truncation: 'auto' } },
];

test('a key is what is kept of a sign-in', () => {
  const headersOf = (key: string) => buildPreparedChannel({ type: 57, key }).formats[0]?.headers(true);
  const expected = { authorization: 'Bearer token-1', 'chatgpt-account-id': 'acc-1', accept: 'text/event-stream' };
  expect(headersOf(codexKey)).toMatchObject(expected);
  expect(headersOf(JSON.stringify({ OPENAI_API_KEY: null, tokens: JSON.parse(codexKey) }, null, 2))).toMatchObject(expected);
  for (const key of ['sk-key', '{}', '{"access_token":"a"}', '{"access_token":"a\\nb","account_id":"c"}']) {
    expect(problemText(buildPreparedChannel({ type: 57, key }))).toContain('access_token');
  }
});

describe('a stream', () => {
  const { gathering } = upstreamDialects['openai-responses'];
  const item = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
  const event = (data: object) => `event: ${Object(data).type}\ndata: ${JSON.stringify(data)}\n\n`;
  const gather = (text: string, pieces: number) => {
    const sieve = new EventSieve(framings.sse, (one) => gathering?.stores(one) === true);
    const bytes = Buffer.from(text);
    const stored: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += pieces) stored.push(sieve.push(bytes.subarray(at, at + pieces)));
    const all = Buffer.concat([...stored, sieve.end()]);
    return { all, whole: gathering?.whole(framings.sse.events(all)) };
  };
  const begin = event({ type: 'response.created', response: { id: 'r1', output: [] } });
  const delta = event({ type: 'response.output_text.delta', delta: 'Nöon' });
  const first = event({ type: 'response.output_item.done', output_index: 0, item: item('Nöon 🌊') });
  const end = (output: object[]) => event({ type: 'response.completed', response: { id: 'r1', status: 'completed', output } });

  test.each([1, 3, 1000])('is a response, in pieces of %i bytes, with what its end leaves out', (pieces) => {
    const { all, whole } = gather(begin + delta + first + end([]), pieces);
    expect(whole).toEqual({ id: 'r1', status: 'completed', output: [item('Nöon 🌊')] });
    expect(all.toString()).not.toContain('delta');
    expect(gather(begin + first + end([item('Ebb')]), pieces).whole).toMatchObject({ output: [item('Ebb')] });
  });

  test('without its last empty line is one, without its end none', () => {
    expect(gather((begin + first + end([])).trimEnd(), 7).whole).toMatchObject({ output: [item('Nöon 🌊')] });
    expect(gather(begin + first, 7).whole).toBeNull();
  });

  test('of an error is that, and what is no stream stays as it is', () => {
    expect(gather(begin + event({ type: 'error', message: 'no' }), 7).whole).toEqual({ type: 'error', message: 'no' });
    for (const body of ['{"detail":"x"}', '<html>', '', 'd']) expect(gather(body, 3).all.toString()).toBe(body);
  });
});

async function openScene(engine: (typeof engines)[number], options: SceneOptions = {}) {
  let account: FakeCodex | undefined;
  const front = async (url: string) => (account = await startFakeCodex(url));
  const scene = await createScene(engine, { channels: [{ models: model }], settings: prices, front, ...options });
  if (account === undefined) throw new Error('Nothing stands before the upstream');
  return { scene, taken: account.taken };
}

const prices = {
  ModelRatio: JSON.stringify({ [model]: 10 }),
  CompletionRatio: JSON.stringify({ [model]: 1 }),
  DefaultMaxOutputTokens: '1000',
  RetryTimes: '0',
};

describe.each(engines.map((engine) => ({ engine, kind: engine.kind })))('calls on $kind', ({ engine }) => {
  test.each(calls)('by $path are charged alike, whole and streamed ($body)', async ({ path, body }) => {
    const { scene, taken } = await openScene(engine);
    await using _scene = scene;
    scene.upstream.behave({ text: 'At noon in Brest.' });
    for (const stream of [false, true]) {
      const response = await scene.post(path, { model, stream, ...body });
      const text = await response.text();
      expect(response.status, text).toBe(200);
      expect(response.headers.get('content-type')).toContain(stream ? 'text/event-stream' : 'application/json');
      expect(text).toContain('Brest');
    }
    const [whole, streamed] = taken;
    expect(whole).toEqual(streamed);
    const rows = await scene.logs(2);
    expect(new Set(rows.map(({ quota, completion_tokens }) => `${quota} ${completion_tokens}`)).size).toBe(1);
    expect(rows[0]?.completion_tokens).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  test('of Gemini reach them, too', async () => {
    const { scene } = await openScene(engine);
    await using _scene = scene;
    scene.upstream.behave({ text: 'At noon in Brest.' });
    for (const method of ['generateContent', 'streamGenerateContent?alt=sse']) {
      const response = await scene.post(`/v1beta/models/${model}:${method}`, { contents: [{ role: 'user', parts: [{ text: 'Tide?' }] }] });
      expect(await response.text()).toContain('Brest');
    }
    await scene.logs(2);
    await scene.checkBooks();
  });

  test('tell what is left out', async () => {
    const { scene } = await openScene(engine);
    await using _scene = scene;
    const droppedOf = async (path: string, body: object) => {
      const response = await scene.post(path, { model, ...body });
      await response.text();
      return response.headers.get('x-tidegate-dropped');
    };
    expect(await droppedOf('/v1/responses', { input: 'Tide?', max_output_tokens: 50, truncation: 'auto' })).toBe(
      'max_output_tokens, truncation',
    );
    expect(await droppedOf('/v1/messages', { messages: [question], max_tokens: 50 })).toContain('max_tokens');
    expect(await droppedOf('/v1/chat/completions', { messages })).toBeNull();
    await scene.logs(3);
  });

  test('with tools have their calls whole', async () => {
    const { scene } = await openScene(engine);
    await using _scene = scene;
    scene.upstream.behave({ reasoning: 'Hm', toolCalls: [{ name: 'get_tide', arguments: '{"port":"Brest"}' }] });
    const tools = [{ type: 'function', function: { name: 'get_tide', parameters: { type: 'object', properties: {} } } }];
    const response = await scene.post('/v1/chat/completions', { model, messages, tools });
    expect(await response.json()).toMatchObject({
      choices: [
        { finish_reason: 'tool_calls', message: { tool_calls: [{ function: { name: 'get_tide', arguments: '{"port":"Brest"}' } }] } },
      ],
    });
    await scene.logs(1);
  });

  test.each([{ cutAfter: 2 }, { endAfter: 2 }, { errorAfter: 2 }, { status: 429 }])(
    'that fail cost nothing, whole (%j)',
    async (behaviour) => {
      const { scene } = await openScene(engine);
      await using _scene = scene;
      scene.upstream.behave({ text: 'At noon in Brest, and again at midnight.', ...behaviour });
      const before = await scene.balance();
      const response = await scene.chat({ model });
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(await response.text()).not.toContain('noon');
      await scene.logs(1);
      expect(await scene.balance()).toBe(before);
      await scene.checkBooks();
    },
  );

  test('reserve the largest response, whatever limit they name', async () => {
    const { scene, taken } = await openScene(engine, { quota: 10 * 999 });
    await using _scene = scene;
    const response = await scene.chat({ model, max_tokens: 1 });
    expect(response.status).toBe(403);
    await response.text();
    expect(taken).toEqual([]);
    await scene.checkBooks();
  });
});
