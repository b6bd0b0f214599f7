// Replicate's predictions: requests of every client format, polling, and results, complete and streamed. The stand-in validates inputs
// strictly.
import { describe, expect, test } from 'vitest';
import { callKinds } from '#server/kinds/registry.ts';
import { clientDialects, upstreamDialects } from '#server/formats/registry.ts';
import { routedRequest } from '#tests/support/routed-request.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { callsOfEveryClient } from '#tests/support/client-calls.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { drawing, type FakeReplicate, startFakeReplicate } from '#tests/support/fake-replicate.ts';
import { createScene, type SceneOptions } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

const { replicate } = upstreamDialects;
const client = clientDialects['openai-chat'];
const user = (content: unknown) => ({ role: 'user', content });
const llama = 'meta/meta-llama-3-8b-instruct';
const png = 'iVBORw0KGgo=';

interface Requested {
  model?: string;
  fields?: Record<string, unknown>;
  kind?: 'chat' | 'images';
  override?: object;
}

async function sentOf({ model = llama, fields = { messages: [user('Hi')] }, kind = 'chat', override }: Requested) {
  const body: Record<string, unknown> = { model, ...fields };
  const request = await routedRequest({
    client,
    clientHeaders: {},
    settings: defaultSettings,
    kind: callKinds[kind],
    channel: buildPreparedChannel({ type: 56, key: 'k', param_override: override === undefined ? '' : JSON.stringify(override) }),
    body,
    rawText: JSON.stringify(body),
    originModel: model,
    isStream: body['stream'] === true,
    forceUsage: true,
    requestId: 'r1',
  });
  const sent: unknown = JSON.parse(Buffer.isBuffer(request.body) ? request.body.toString() : '');
  return { sent, path: request.path, headers: request.headers, dropped: request.dropped.toSorted() };
}

describe('a request', () => {
  test('has its instructions apart, and its turns in one text', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'get', arguments: '{"a":1}' } };
    const { sent, path, headers, dropped } = await sentOf({
      fields: {
        messages: [
          { role: 'system', content: 'Be brief.' },
          user('Tide?'),
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', tool_call_id: 'c1', content: 'noon' },
          user('And then?'),
        ],
        tools: [{ type: 'function', function: { name: 'get', parameters: {} } }],
        max_tokens: 5,
        temperature: 0.5,
        stop: ['END', 'ENDE'],
        user: 'u1',
      },
    });
    expect(sent).toEqual({
      input: {
        prompt: 'User: Tide?\n\nAssistant: get({"a":1})\n\nUser: noon\nAnd then?\n\nAssistant:',
        system_prompt: 'Be brief.',
        max_tokens: 5,
        temperature: 0.5,
        stop_sequences: 'END,ENDE',
      },
    });
    expect([path, headers['prefer'], headers['authorization']]).toEqual([`/v1/models/${llama}/predictions`, 'wait', 'Bearer k']);
    expect(dropped).toEqual(['tools', 'user']);
  });

  test.each([
    [
      'openai/gpt-4.1',
      { max_completion_tokens: 50, system_prompt: 'S', image_input: [`data:image/png;base64,${png}`], temperature: 1 },
      [],
    ],
    ['anthropic/claude-4-sonnet', { max_tokens: 1024, system_prompt: 'S', image: `data:image/png;base64,${png}` }, ['temperature']],
    [
      'google/gemini-2.5-flash',
      { max_output_tokens: 50, system_instruction: 'S', images: [`data:image/png;base64,${png}`], temperature: 1 },
      [],
    ],
  ])('has what the vendor of %s calls it', async (model, input, lost) => {
    const messages = [
      { role: 'system', content: 'S' },
      user([
        { type: 'text', text: 'What?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      ]),
    ];
    const { sent, dropped } = await sentOf({ model, fields: { messages, max_tokens: 50, temperature: 1 } });
    expect(sent).toEqual({ input: { prompt: 'What?', ...input } });
    expect(dropped).toEqual(lost);
  });

  test('begins with instructions where there is no place for them', async () => {
    const fields = { messages: [{ role: 'system', content: 'Be brief.' }, user('Hi')] };
    expect((await sentOf({ model: 'deepseek-ai/deepseek-v3', fields })).sent).toEqual({ input: { prompt: 'Be brief.\n\nHi' } });
  });

  test('may be for a version, and have what its channel sets', async () => {
    const version = '0'.repeat(64);
    for (const model of [version, `owner/name:${version}`]) {
      const { sent, path } = await sentOf({ model, override: { seed: 7 } });
      expect([path, sent]).toEqual(['/v1/predictions', { version, input: { prompt: 'Hi', seed: 7 } }]);
    }
  });

  test.each(['llama', 'a/b/c', 'owner/name:latest', '../..', ''])('for %j has nowhere to go', async (model) => {
    await expect(sentOf({ model })).rejects.toMatchObject({ code: 'format_unsupported' });
  });

  test.each([
    [llama, { messages: [user('Hi')], stop: ['a,b'] }],
    ['openai/gpt-4.1', { messages: [user('Hi')], stop: ['END'] }],
    [llama, { messages: [user([{ type: 'image_url', image_url: { url: 'https://a.example/1.png' } }])] }],
    [llama, { messages: [user('Hi')], n: 2 }],
  ])('of what %s cannot be told is refused (%j)', async (model, fields) => {
    await expect(sentOf({ model, fields })).rejects.toMatchObject({ code: 'untranslatable' });
  });

  test('for pictures has what models there have in common', async () => {
    const fields = { prompt: 'A tide', n: 2, size: '1792x1024', quality: 'hd', output_format: 'jpeg', response_format: 'url' };
    const { sent, headers, dropped } = await sentOf({ model: drawing, fields, kind: 'images', override: { seed: 7 } });
    const input = { prompt: 'A tide', aspect_ratio: '16:9', num_outputs: 2, output_format: 'jpg', seed: 7 };
    expect([sent, headers['prefer'], dropped]).toEqual([{ input }, 'wait', ['quality']]);
  });
});

describe('a response', () => {
  const read = (...events: [name: string, data: string][]) => {
    const reader = replicate.createStreamReader(null);
    return events.flatMap(([name, data]) => reader.read({ name, data }));
  };

  test('has texts as they are, and breaks of lines', () => {
    const said = read(['output', 'a'], ['output', '\n'], ['output', '{"id":1}'], ['logs', 'x'], ['done', '{}']);
    expect(said.flatMap((part) => (part.type === 'text' ? [part.text] : []))).toEqual(['a', '\n', '{"id":1}']);
    expect(said.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  });

  test.each<[name: string, data: string, status: number]>([
    ['error', '{"detail":"E1"}', 500],
    ['error', 'NSFW content detected', 400],
    ['done', '{"reason":"error"}', 500],
    ['done', '{"reason":"canceled"}', 500],
  ])('that fails is an error with its status (%s %s)', (name, data, status) => {
    expect(read([name, data])).toMatchObject([{ type: 'error', error: { status, type: 'replicate_error' } }]);
  });

  test.each([{}, { status: 'succeeded', output: [{}] }, { status: 'processing' }, { status: 'succeeded', output: 5 }])(
    'may be none: %j',
    (body) => expect(replicate.readWhole(body, null)).toBeNull(),
  );
});

const model = llama;
const prices = {
  ModelRatio: JSON.stringify({ [model]: 10 }),
  CompletionRatio: JSON.stringify({ [model]: 1 }),
  ModelPrice: JSON.stringify({ [drawing]: 0.01 }),
  RetryTimes: '0',
};

async function openScene(engine: (typeof oneEngine)[number], options: SceneOptions = {}) {
  let provider: FakeReplicate | undefined;
  const front = async (url: string) => (provider = await startFakeReplicate(url));
  const scene = await createScene(engine, { channels: [{ models: `${model},${drawing}` }], settings: prices, front, ...options });
  if (provider === undefined) throw new Error('Nothing stands before the upstream');
  return { scene, provider };
}

describe.each(oneEngine.map((engine) => ({ engine, kind: engine.kind })))('calls on $kind', ({ engine }) => {
  test('of every format are answered and charged, whole and streamed', async () => {
    const { scene, provider } = await openScene(engine);
    await using _scene = scene;
    scene.upstream.behave({ text: 'At noon in Brest.' });
    const addressed = (path: string) => path.replace(model, encodeURIComponent(model));
    const calls = [false, true].flatMap((isStream) => callsOfEveryClient(model, 'Tide?', isStream));
    for (const { path, body } of calls) {
      const response = await scene.post(addressed(path), body);
      const text = await response.text();
      expect(response.status, text).toBe(200);
      expect(text).toContain('Brest');
    }
    const rows = await scene.logs(calls.length);
    expect(rows.every(({ quota, completion_tokens: written }) => quota > 0 && written > 0)).toBe(true);
    expect(provider.taken.every(({ path }) => path === `/v1/models/${model}/predictions`)).toBe(true);
    expect(provider.requested.every((path) => path.startsWith('/v1/streams/'))).toBe(true);
    expect(provider.cancelled).toEqual([]);
    await scene.checkBooks();
  });

  test('that take long are asked about, also where a stream was asked for and there is none', async () => {
    const { scene, provider } = await openScene(engine);
    await using _scene = scene;
    scene.upstream.behave({ text: 'At noon in Brest.' });
    provider.behave({ working: 2, isMute: true });
    for (const stream of [false, true]) {
      const response = await scene.chat({ model, stream });
      expect(response.headers.get('content-type')).toContain(stream ? 'text/event-stream' : 'application/json');
      expect(await response.text()).toContain('Brest');
    }
    expect(provider.requested).toHaveLength(2 + 3);
    const rows = await scene.logs(2);
    expect(new Set(rows.map(({ quota }) => quota)).size).toBe(1);
    await scene.checkBooks();
  });

  test('that fail cost nothing', async () => {
    const { scene, provider } = await openScene(engine);
    await using _scene = scene;
    const before = await scene.balance();
    provider.behave({ error: 'NSFW content detected' });
    const failed = await scene.chat({ model });
    expect([failed.status, await failed.text()]).toEqual([400, expect.stringContaining('NSFW')]);
    // The key does not go to wherever a response says.
    provider.behave({ streamAt: 'http://127.0.0.1:9/v1/streams/p' });
    expect((await scene.chat({ model, stream: true })).status).toBe(504);
    await until(() => provider.cancelled.length === 1);
    await scene.logs(2);
    expect(await scene.balance()).toBe(before);
    await scene.checkBooks();
  });

  test.each([
    ['questions about them fail', { isMute: true, working: 1, failing: [503, 503, 503, 503] }],
    ['a question about them is refused', { isMute: true, working: 1, failing: [404] }],
    ['their streams are not there', { failing: [503] }],
    ['their streams are elsewhere', { streamAt: 'http://127.0.0.1:9/v1/streams/p' }],
  ])('that have begun are begun nowhere else when %s', async (_how, behaviour) => {
    const channels = [{ models: model }, { models: model }];
    const { scene, provider } = await openScene(engine, { channels, settings: { ...prices, RetryTimes: '2' } });
    await using _scene = scene;
    const before = await scene.balance();
    provider.behave(behaviour);
    expect((await scene.chat({ model, stream: true })).status).toBe(504);
    expect(provider.taken).toHaveLength(1);
    await until(() => provider.cancelled.length === 1);
    await scene.logs(1);
    expect(await scene.balance()).toBe(before);
    await scene.checkBooks();
  });

  test('that nobody waits for are ended at the provider, streams too', async () => {
    const setting = JSON.stringify({ on_client_gone: 'abort' });
    const { scene, provider } = await openScene(engine, { channels: [{ models: model, setting }] });
    await using _scene = scene;
    provider.behave({ working: Infinity });
    const leaving = new AbortController();
    const call = scene.post('/v1/chat/completions', { model, messages: [user('Tide?')] }, {}, leaving.signal).catch(() => 'left');
    await until(() => provider.requested.length > 0);
    leaving.abort();
    expect(await call).toBe('left');
    await until(() => provider.cancelled.length === 1);

    scene.upstream.behave({ text: 'At noon in Brest.', holdAfter: 2 });
    const gone = new AbortController();
    const body = { model, messages: [user('Tide?')], stream: true };
    const streamed = await scene.post('/v1/chat/completions', body, {}, gone.signal);
    await streamed.body?.getReader().read();
    gone.abort();
    await until(() => provider.cancelled.length === 2);
    await scene.logs(2);
    await scene.checkBooks();
  });

  test.each([{ cutAfter: 2 }, { endAfter: 2 }, { errorAfter: 2 }])('whose streams break end in an error (%j)', async (behaviour) => {
    const { scene } = await openScene(engine);
    await using _scene = scene;
    scene.upstream.behave({ text: 'At noon in Brest, and again at midnight.', ...behaviour });
    const text = await (await scene.chat({ model, stream: true })).text();
    expect(text).toContain('"error"');
    expect(text).not.toContain('[DONE]');
    await scene.logs(1);
    await scene.checkBooks();
  });

  test('for pictures are awaited, and paid by the picture that came', async () => {
    const { scene, provider } = await openScene(engine);
    await using _scene = scene;
    const before = await scene.balance();
    provider.behave({ working: 1, output: ['https://replicate.delivery/1.webp', 'https://replicate.delivery/2.webp'] });
    const requested = { model: drawing, prompt: 'A tide', n: 2 };
    const whole = await scene.post('/v1/images/generations', requested);
    expect(await whole.json()).toMatchObject({ created: 1_768_464_000, data: [{ url: 'https://replicate.delivery/1.webp' }, {}] });
    provider.behave({ output: 'https://replicate.delivery/3.webp' });
    const streamed = await scene.post('/v1/images/generations', { ...requested, stream: true });
    expect(await streamed.text()).toContain('replicate.delivery/3.webp');
    await scene.logs(2);
    expect(before - (await scene.balance())).toBe(3 * 0.01 * 500_000);
    provider.behave({ error: 'out of memory' });
    expect((await scene.post('/v1/images/generations', requested)).status).toBe(500);
    await scene.logs(3);
    expect(before - (await scene.balance())).toBe(3 * 0.01 * 500_000);
    await scene.checkBooks();
  });
});
