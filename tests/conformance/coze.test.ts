// Coze's bots against the provider vectors: requests of every client format, polling of chats that do not stream, and responses. The
// stand-in validates requests strictly.
import { describe, expect, test } from 'vitest';
import { callKinds } from '#server/kinds/registry.ts';
import { clientDialects, upstreamDialects } from '#server/formats/registry.ts';
import { TextTally } from '#server/formats/text-tally.ts';
import { TranslatedStream } from '#server/formats/translated-stream.ts';
import { framings } from '#server/framing/registry.ts';
import { routedRequest } from '#tests/support/routed-request.ts';
import type { UpstreamRequest } from '#server/exchange/build-request.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { callsOfEveryClient } from '#tests/support/client-calls.ts';
import { chatOf } from '#tests/support/coze-responses.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { type FakeCoze, startFakeCoze } from '#tests/support/fake-coze.ts';
import { createScene, type SceneOptions } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';
import { differences, isObject, readVectors, type Vector } from './provider-vectors.ts';

const { coze } = upstreamDialects;
const client = clientDialects['openai-chat'];
const kind = callKinds.chat;
const user = (content: unknown) => ({ role: 'user', content });
const writer = { requestId: 'r1', createdAt: 1_700_000_000, wantsUsage: true, promptEstimate: 0 };

async function requestOf({ request, channel }: Pick<Vector, 'request' | 'channel'>): Promise<UpstreamRequest> {
  const { body } = request;
  return routedRequest({
    client,
    clientHeaders: {},
    settings: defaultSettings,
    kind,
    channel: buildPreparedChannel({ type: 49, key: channel.key, other: channel.other }),
    body,
    rawText: JSON.stringify(body),
    originModel: String(body['model']),
    isStream: body['stream'] === true,
    forceUsage: true,
    requestId: 'r1',
  });
}

function bodyOf({ body }: UpstreamRequest): Record<string, unknown> {
  return JSON.parse(Buffer.isBuffer(body) ? body.toString() : '');
}

const sentOf = async (body: Record<string, unknown>, other = '7') => {
  const request = await requestOf({
    request: { path: '/v1/chat/completions', body: { model: 'm', ...body } },
    channel: { type: 49, key: 'k', base_url: '', other, openai_organization: '' },
  });
  return { sent: bodyOf(request), dropped: request.dropped.toSorted() };
};

const vectors = readVectors('coze');

test('has vectors', () => expect(vectors).toHaveLength(2));

describe.each(vectors.map((vector) => ({ name: vector.name, vector })))('$name', ({ vector }) => {
  const { response, response_chunks: chunks, upstream_response: upstream, usage, other_calls: others = [] } = vector;

  test('sends the expected call', async () => {
    const request = await requestOf(vector);
    expect(`${request.origin}${request.path}`).toBe(vector.upstream.url);
    expect(differences(request.headers, vector.upstream.headers, false)).toEqual([]);
    expect(differences(bodyOf(request), vector.upstream.body, true)).toEqual([]);
  });

  if (response !== undefined)
    test('asks as expected, and gives the client the expected answer', async () => {
      const { route, upstreamModel, awaiting, origin } = await requestOf(vector);
      let reported: unknown = upstream.body;
      const requested: string[] = [];
      for (let step = awaiting?.next(Object(reported)); step?.kind === 'request'; step = awaiting?.next(Object(reported))) {
        requested.push(`${origin}${step.path}`);
        reported = others[requested.length - 1]?.response.body;
      }
      expect(requested).toEqual(others.map((call) => call.request.url));
      const last = awaiting?.next(Object(reported));
      const body = Buffer.from(JSON.stringify(last?.kind === 'response' ? last.body : null));
      const decoded = kind.decode({ client, route, upstreamModel, body, responseFields: {}, writer: { ...writer, model: upstreamModel } });
      if (decoded.kind !== 'whole') throw new Error('It is no response');
      expect(differences(JSON.parse(decoded.body(null).toString()), response.body, false)).toEqual([]);
      expect(decoded.usage).toMatchObject({ input: 10, output: 5 });
    });

  if (chunks !== undefined)
    test('gives the client the expected stream', async () => {
      const { route, upstreamModel } = await requestOf(vector);
      const tally = new TextTally({ countText: () => Promise.resolve(0), estimateText: () => 0 });
      const pipe = new TranslatedStream({ client, route, writer: { ...writer, model: upstreamModel }, tally });
      const step = pipe.push(Buffer.from(`${(upstream.sse ?? []).join('\n')}\n\n`));
      expect(step.next).toBe('complete');
      const text = Buffer.concat([...step.forClient, pipe.ending(pipe.reportedUsage().usage)]).toString();
      const events = [...framings.sse.events(Buffer.from(text))].map(({ data }) => data);
      expect(events.at(-1)).toBe('[DONE]');
      const reported = events.slice(0, -1).map((event): Record<string, unknown> => JSON.parse(event));
      const choices = reported.flatMap((event) => (Array.isArray(event['choices']) ? event['choices'].filter(isObject) : []));
      expect(choices.map(({ delta }) => Object(delta).content ?? '').join('')).toBe('Hi!');
      expect(choices.at(-1)).toMatchObject({ finish_reason: 'stop' });
      expect(reported.at(-1)?.['usage']).toMatchObject(usage ?? {});
    });
});

describe('a request', () => {
  test('has somebody who asks, and names what a bot decides itself', async () => {
    const tools = [{ type: 'function', function: { name: 'get', parameters: {} } }];
    const call = { id: 'c1', type: 'function', function: { name: 'get', arguments: '{"a":1}' } };
    const { sent, dropped } = await sentOf({
      messages: [
        { role: 'system', content: 'Be brief.' },
        user('Tide?'),
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: 'noon' },
      ],
      tools,
      max_tokens: 5,
      temperature: 0.5,
    });
    expect(sent).toEqual({
      bot_id: '7',
      user_id: 'chatcmpl-r1',
      additional_messages: [
        { role: 'user', content: 'Tide?', content_type: 'text' },
        { role: 'assistant', type: 'answer', content: 'get({"a":1})', content_type: 'text' },
        { role: 'user', content: 'noon', content_type: 'text' },
      ],
      stream: false,
    });
    expect(chatOf(sent, 'm')).toHaveProperty('requested');
    expect(dropped).toEqual(['max_tokens', 'messages.0.content', 'temperature', 'tools']);
  });

  test('names the bot that its model is, where the channel names none', async () => {
    expect((await sentOf({ messages: [user('Hi')] }, ' ')).sent).toMatchObject({ bot_id: 'm' });
  });

  test('of instructions alone asks them', async () => {
    const { sent, dropped } = await sentOf({ messages: [{ role: 'system', content: 'Say hello.' }] });
    expect(sent['additional_messages']).toEqual([{ role: 'user', content: 'Say hello.', content_type: 'text' }]);
    expect(dropped).toEqual([]);
  });

  test('has pictures by their address, and a shape in words', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://a.example/1.png' } };
    const schema = { type: 'object', properties: { port: { type: 'string' } } };
    const { sent } = await sentOf({
      messages: [user([{ type: 'text', text: 'What?' }, image])],
      response_format: { type: 'json_schema', json_schema: { name: 'port', schema } },
    });
    expect(chatOf(sent, 'm')).toMatchObject({
      requested: { messages: [{ content: expect.stringContaining('"port"') }, { content: [{ type: 'text', text: 'What?' }, image] }] },
    });
  });

  test.each([
    ['sounds', { messages: [user([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }])] }],
    ['texts that end it', { messages: [user('Hi')], stop: ['END'] }],
  ])('with %s is refused', (_what, fields) => {
    const request = client.readRequest({ model: 'm', ...fields });
    const write = () => coze.writeRequest(request, { upstreamModel: 'm', forceUsage: true, settings: defaultSettings });
    expect(write).toThrow(expect.objectContaining({ code: 'untranslatable' }));
  });
});

describe('a response', () => {
  const read = (...events: [name: string, data: object][]) => {
    const reader = coze.createStreamReader(null);
    return events.flatMap(([name, data]) => reader.read({ name, data: JSON.stringify(data) }));
  };
  const says = (id: string, content: string, fields = {}) => ({ id, chat_id: 'c1', type: 'answer', content, ...fields });

  test('has thoughts, several answers, and what comes whole alone', () => {
    const delta = 'conversation.message.delta';
    const done = 'conversation.message.completed';
    const parts = read(
      ['conversation.chat.created', { id: 'c1', status: 'created', last_error: { code: 0, msg: '' } }],
      [delta, says('a', '', { reasoning_content: 'Hm' })],
      [delta, says('a', 'Noon')],
      [done, says('a', 'Noon')],
      [done, { ...says('v', '{}'), type: 'verbose' }],
      [done, says('b', 'In Brest')],
    );
    expect(parts).toEqual([
      { type: 'start', id: 'c1', model: '' },
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'Noon' },
      { type: 'text', text: '\n\nIn Brest' },
    ]);
  });

  test.each([
    ['error', { code: 4011, msg: 'no tokens' }, 402],
    ['error', { msg: 'odd' }, 500],
    ['conversation.chat.failed', { status: 'failed', last_error: { code: 4010, msg: 'too long' } }, 400],
    ['conversation.chat.failed', { status: 'failed', last_error: { code: 0, msg: '' } }, 500],
    ['conversation.chat.requires_action', { status: 'requires_action' }, 400],
  ])('that fails is an error with its status (%s %j)', (name, data, status) => {
    expect(read([name, data])).toMatchObject([{ type: 'error', error: { status, type: 'coze_error' } }]);
  });

  test.each([
    [{ code: 4100, msg: 'no' }, 401],
    [{ code: '4009', msg: 'later' }, 429],
    [{ code: 0, data: { status: 'canceled' } }, 500],
  ])('of status 200 may be an error (%j)', (body, status) => {
    expect(coze.readError(JSON.stringify(body), null)).toMatchObject({ status });
  });

  test('without models has no usage, and is counted', () => {
    const usage = { token_count: 0, output_count: 0, input_count: 0 };
    expect(read(['conversation.chat.completed', { id: 'c1', status: 'completed', usage }]).map(({ type }) => type)).toEqual([
      'start',
      'finish',
    ]);
  });

  test.each([
    ['', {}],
    ['conversation.message.delta', { type: 'answer', content: 5 }],
    ['conversation.chat.completed', { usage: [] }],
  ])('may be anything: %s %j', (name, event) => expect(Array.isArray(read([name, event]))).toBe(true));
});

const model = 'tide-bot';
const prices = {
  ModelRatio: JSON.stringify({ [model]: 10 }),
  CompletionRatio: JSON.stringify({ [model]: 1 }),
  DefaultMaxOutputTokens: '1000',
  RetryTimes: '0',
};

async function openScene(engine: (typeof oneEngine)[number], options: SceneOptions = {}) {
  let bot: FakeCoze | undefined;
  const front = async (url: string) => (bot = await startFakeCoze(url));
  const scene = await createScene(engine, { channels: [{ models: model }], settings: prices, front, ...options });
  if (bot === undefined) throw new Error('Nothing stands before the upstream');
  return { scene, bot };
}

describe.each(oneEngine.map((engine) => ({ engine, kind: engine.kind })))('calls on $kind', ({ engine }) => {
  test('of every format are charged alike, whole and streamed', async () => {
    const { scene, bot } = await openScene(engine);
    await using _scene = scene;
    scene.upstream.behave({ text: 'At noon in Brest.' });
    const calls = [false, true].flatMap((isStream) => callsOfEveryClient(model, 'Tide?', isStream));
    for (const { path, body } of calls) {
      const response = await scene.post(path, body);
      const text = await response.text();
      expect(response.status, text).toBe(200);
      expect(text).toContain('Brest');
    }
    const rows = await scene.logs(calls.length);
    expect(new Set(rows.map(({ quota, completion_tokens }) => `${quota} ${completion_tokens}`)).size).toBe(1);
    expect(rows[0]?.completion_tokens).toBeGreaterThan(0);
    expect(new Set(bot.taken.map(({ additional_messages }) => JSON.stringify(additional_messages))).size).toBe(1);
    expect(bot.requested.slice(0, 3)).toEqual(['/v3/chat/retrieve', '/v3/chat/retrieve', '/v3/chat/message/list']);
    await scene.checkBooks();
  });

  test('leave pictures and documents at the provider before', async () => {
    const { scene, bot } = await openScene(engine);
    await using _scene = scene;
    scene.upstream.behave({ text: 'A dot.' });
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const pdf = { type: 'file', file: { filename: 'tide.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } };
    for (const stream of [false, true]) {
      const response = await scene.post('/v1/chat/completions', { model, stream, messages: [user([image, pdf])] });
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(' dot.')]);
    }
    expect([...bot.left.values()]).toEqual(['image.png', 'tide.pdf', 'image.png', 'tide.pdf']);
    await scene.logs(2);
    await scene.checkBooks();
  });

  test('that end otherwise, or are refused, cost nothing', async () => {
    const { scene, bot } = await openScene(engine);
    await using _scene = scene;
    const before = await scene.balance();
    const answered = async () => {
      const response = await scene.chat({ model });
      return `${response.status} ${await response.text()}`;
    };
    bot.behave({ ending: { status: 'failed', last_error: { code: 4010, msg: 'The prompt is too long' } } });
    expect(await answered()).toMatch(/^400.*too long/s);
    bot.behave({ ending: { status: 'requires_action', required_action: {} } });
    expect(await answered()).toMatch(/^400.*plugin/s);
    // What is about the operator's account is not the caller's to read.
    bot.behave({ ending: { status: 'failed', last_error: { code: 4028, msg: 'The free quota is used up' } } });
    expect(await answered()).toMatch(/^502.*channel_refused/s);
    await scene.logs(3);
    expect(await scene.balance()).toBe(before);
    await scene.checkBooks();
  });

  test('outlive questions that fail for a while, and end with those that fail for long', async () => {
    const { scene, bot } = await openScene(engine);
    await using _scene = scene;
    scene.upstream.behave({ text: 'At noon in Brest.' });
    bot.behave({ failing: [503, 502] });
    expect(await (await scene.chat({ model })).text()).toContain('Brest');
    bot.behave({ failing: [503, 503, 503, 503] });
    const before = await scene.balance();
    expect((await scene.chat({ model })).status).toBe(504);
    // It was still at work there.
    await until(() => bot.cancelled.length === 1);
    await scene.logs(2);
    expect(await scene.balance()).toBe(before);
    await scene.checkBooks();
  });

  test.each([
    ['fail', [503, 503, 503, 503]],
    ['are refused', [404]],
    ['are answered with an error', [200]],
  ])('that have begun are begun nowhere else when questions about them %s', async (_how, failing) => {
    const channels = [{ models: model }, { models: model }];
    const { scene, bot } = await openScene(engine, { channels, settings: { ...prices, RetryTimes: '2' } });
    await using _scene = scene;
    scene.upstream.behave({ text: 'At noon in Brest.' });
    const before = await scene.balance();
    bot.behave({ failing });
    expect((await scene.chat({ model })).status).toBe(504);
    expect(bot.taken).toHaveLength(1);
    await until(() => bot.cancelled.length === 1);
    await scene.logs(1);
    expect(await scene.balance()).toBe(before);
    await scene.checkBooks();
  });

  test('that nobody waits for are ended at the provider', async () => {
    const setting = JSON.stringify({ on_client_gone: 'abort' });
    const { scene, bot } = await openScene(engine, { channels: [{ models: model, setting }] });
    await using _scene = scene;
    bot.behave({ working: Infinity });
    const leaving = new AbortController();
    const call = scene.post('/v1/chat/completions', { model, messages: [user('Tide?')] }, {}, leaving.signal).catch(() => 'left');
    await until(() => bot.requested.length > 0);
    leaving.abort();
    expect(await call).toBe('left');
    await until(() => bot.cancelled.length === 1);
    const requested = bot.requested.length;
    await scene.logs(1);
    expect(bot.requested).toHaveLength(requested);
    await scene.checkBooks();
  });

  test('reserve the largest response, whatever limit they name', async () => {
    const { scene, bot } = await openScene(engine, { quota: 10 * 999 });
    await using _scene = scene;
    const response = await scene.chat({ model, max_tokens: 1 });
    expect(response.status).toBe(403);
    await response.text();
    expect(bot.taken).toEqual([]);
    expect(await scene.balance()).toBe(10 * 999);
    await scene.checkBooks();
  });
});
