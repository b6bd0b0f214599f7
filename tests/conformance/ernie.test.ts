// ERNIE of Baidu's first platform: against the provider vectors, what is written of every caller's request, and read of every response. The
// stand-in takes requests strictly.
import { describe, expect, test } from 'vitest';
import type { CallKind } from '#server/kinds/call-kind.ts';
import { callKinds } from '#server/kinds/registry.ts';
import { clientDialects, upstreamDialects } from '#server/formats/registry.ts';
import { TextTally } from '#server/formats/text-tally.ts';
import { TranslatedStream } from '#server/formats/translated-stream.ts';
import { framings } from '#server/framing/registry.ts';
import { authorizeRequest, type UpstreamRequest } from '#server/exchange/build-request.ts';
import { routedRequest } from '#tests/support/routed-request.ts';
import type { Sender, SendRequest } from '#server/exchange/send.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { embeddedEngine, oneEngine } from '#tests/support/engines.ts';
import { chatOf } from '#tests/support/ernie-responses.ts';
import { baiduKey, type FakeBaidu, startFakeBaidu } from '#tests/support/fake-baidu.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { differences, isObject, readVectors, type Vector } from './provider-vectors.ts';
import { problemText } from '#tests/support/problem-text.ts';

const { ernie } = upstreamDialects;
const client = clientDialects['openai-chat'];

type Speaking = keyof typeof clientDialects;

/** What goes to the provider, which takes it. */
function written(speaking: Speaking, body: Record<string, unknown>) {
  const request = clientDialects[speaking].readRequest({ model: 'm', ...body });
  const { body: sent, dropped } = ernie.writeRequest(request, {
    upstreamModel: 'ERNIE-4.0-8K',
    forceUsage: true,
    settings: defaultSettings,
  });
  expect(chatOf(JSON.parse(JSON.stringify(sent)), 'm')).toHaveProperty('requested');
  return { sent, dropped };
}

const chat = (fields: Record<string, unknown>) => written('openai-chat', fields);
const user = (content: unknown) => ({ role: 'user', content });
const tool = (name: string) => ({ type: 'function', function: { name, parameters: {} } });
const call = (id: string, port: string) => ({ id, type: 'function', function: { name: 'get_tide', arguments: JSON.stringify({ port }) } });
const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });

let made = 0;

/** Tokens are cached by key, so each vector has its own. @param named as in the vectors */
async function requestOf(vector: Vector, kind: CallKind): Promise<{ request: UpstreamRequest; requested: SendRequest[] }> {
  const { body } = vector.request;
  const requested: SendRequest[] = [];
  const sender: Pick<Sender, 'send'> = {
    send(request) {
      requested.push(request);
      const reported = Buffer.from('{"access_token":"24.abc","expires_in":2592000}');
      return {
        response: Promise.resolve({ kind: 'whole', status: 200, headers: {}, body: reported }),
        isSent: true,
        limitBy() {},
        abort() {},
      };
    },
  };
  const open = await routedRequest({
    client,
    clientHeaders: {},
    settings: defaultSettings,
    kind,
    channel: buildPreparedChannel({ type: 15, key: `AK1|SK${(made += 1)}` }),
    body,
    rawText: JSON.stringify(body),
    originModel: String(body['model']),
    isStream: body['stream'] === true,
    forceUsage: true,
  });
  return { request: await authorizeRequest(open, { now: 1_700_000_000_000, sender }), requested };
}

const writer = { requestId: 'r1', createdAt: 1_700_000_000, wantsUsage: true, promptEstimate: 0 };

describe.each(readVectors('baidu').map((vector) => ({ name: vector.name, vector })))('$name', ({ vector }) => {
  const kind = vector.request.path === '/v1/embeddings' ? callKinds.embeddings : callKinds.chat;

  test('sends the expected call, with a token that was asked for as expected', async () => {
    const { request, requested } = await requestOf(vector, kind);
    expect(`${request.origin}${request.path}`).toBe(vector.upstream.url);
    expect(differences(request.headers, vector.upstream.headers, false)).toEqual([]);
    expect(request.headers).not.toHaveProperty('authorization');
    expect(differences(JSON.parse(request.body.toString()), vector.upstream.body, true)).toEqual([]);
    expect(requested.map(({ origin, path, method, body }) => ({ url: `${origin}${path}`, method, body }))).toEqual([
      {
        url: `https://aip.baidubce.com/oauth/2.0/token?grant_type=client_credentials&client_id=AK1&client_secret=SK${made}`,
        method: 'POST',
        body: null,
      },
    ]);
  });

  const { response, response_chunks: chunks, upstream_response: upstream, usage } = vector;

  if (response !== undefined)
    test('gives the client the expected answer', async () => {
      const { route, upstreamModel } = (await requestOf(vector, kind)).request;
      const body = Buffer.from(JSON.stringify(upstream.body));
      const decoded = kind.decode({ client, route, upstreamModel, body, responseFields: {}, writer: { ...writer, model: upstreamModel } });
      if (decoded.kind !== 'whole') throw new Error('It is no response');
      const { usage: reported, ...others } = Object(response.body);
      const { completion_tokens: completion, ...counts } = reported;
      // Ids without OpenAI's prefix are replaced: its clients check prefixes.
      const expected = { ...others, ...(kind === callKinds.chat ? { id: '$ANY' } : {}), usage: completion === 0 ? counts : reported };
      expect(differences(JSON.parse(decoded.body(null).toString()), expected, false)).toEqual([]);
    });

  if (chunks !== undefined)
    test('gives the client the expected stream', async () => {
      const { route, upstreamModel } = (await requestOf(vector, kind)).request;
      const tally = new TextTally({ countText: () => Promise.resolve(0), estimateText: () => 0 });
      const pipe = new TranslatedStream({ client, route, writer: { ...writer, model: upstreamModel }, tally });
      const step = pipe.push(Buffer.from(`${(upstream.sse ?? []).join('\n')}\n\n`));
      expect(step.next).toBe('complete');
      const text = Buffer.concat([...step.forClient, pipe.ending(pipe.reportedUsage().usage)]).toString();
      const events = [...framings.sse.events(Buffer.from(text))].map(({ data }) => data);
      expect(events.at(-1)).toBe('[DONE]');
      const reported = events.slice(0, -1).map((event): Record<string, unknown> => JSON.parse(event));
      expect(reported.every(({ id, model }) => id === 'chatcmpl-r1' && model === upstreamModel)).toBe(true);
      const choices = reported.flatMap((event) => (Array.isArray(event['choices']) ? event['choices'].filter(isObject) : []));
      expect(choices.map(({ delta }) => Object(delta).content ?? '').join('')).toBe('Hi!');
      expect(choices.at(-1)).toMatchObject({ finish_reason: 'stop' });
      expect(reported.at(-1)?.['usage']).toMatchObject(usage ?? {});
    });
});

test('models have names of their own in addresses, and a key has two parts', () => {
  const channel = buildPreparedChannel({ type: 15, key: baiduKey });
  const pathOf = (model: string) => channel.route(client, 'chat', model)?.path.replace(/.*wenxinworkshop/, '');
  expect(['ERNIE-Bot-turbo', 'ERNIE-3.5-8K-0205', 'ERNIE-Lite-8K-0308', 'tao-8k', 'a/b', 'constructor'].map(pathOf)).toEqual([
    '/chat/eb-instant',
    '/chat/ernie-3.5-8k-0205',
    '/chat/ernie-lite-8k',
    '/chat/tao_8k',
    '/chat/a%2Fb',
    '/chat/constructor',
  ]);
  expect(channel.problem).toBeNull();
  for (const key of ['AK1', 'AK1|', 'AK1|SK1|x'])
    expect(problemText(buildPreparedChannel({ type: 15, key }))).toContain('APIKey|SecretKey');
});

describe('a request', () => {
  test('has turns that alternate, with no text empty', () => {
    const messages = [
      user('a'),
      user('b'),
      { role: 'assistant', content: 'c' },
      { role: 'system', content: 'd' },
      { role: 'assistant', content: 'e' },
    ];
    expect(chat({ messages }).sent['messages']).toEqual([
      { role: 'user', content: 'a\nb' },
      { role: 'assistant', content: 'c' },
      { role: 'user', content: '<system-reminder>\nd\n</system-reminder>' },
      { role: 'assistant', content: 'e' },
      { role: 'user', content: '...' },
    ]);
    expect(chat({ messages: [{ role: 'assistant', content: 'c' }, user('a')] }).sent['messages']).toHaveLength(3);
  });

  test('has one call of a tool in each turn, and results that are JSON', () => {
    const messages = [
      user('Tide?'),
      { role: 'assistant', content: 'I look.', tool_calls: [call('c1', 'Brest'), call('c2', 'Dover')] },
      result('c2', '{"at":1}'),
      result('c1', 'noon'),
      user('And?'),
    ];
    const requested = (port: string) => ({ name: 'get_tide', arguments: JSON.stringify({ port }) });
    expect(chat({ messages, tools: [tool('get_tide')] }).sent['messages']).toEqual([
      { role: 'user', content: 'Tide?' },
      { role: 'assistant', content: 'I look.', function_call: requested('Dover') },
      { role: 'function', name: 'get_tide', content: '{"at":1}' },
      { role: 'assistant', content: '...', function_call: requested('Brest') },
      { role: 'function', name: 'get_tide', content: '{"result":"noon"}' },
      { role: 'assistant', content: '...' },
      { role: 'user', content: 'And?' },
    ]);
  });

  test('names one tool, or leaves the choice to the model', () => {
    const choice = (tool_choice: unknown, tools = [tool('a'), tool('b')]) => {
      const { sent, dropped } = chat({ messages: [user('Hi')], tools, tool_choice, parallel_tool_calls: false });
      return [sent['tool_choice'], dropped, sent['functions'] === undefined];
    };
    const named = (name: string) => ({ type: 'function', function: { name } });
    expect(choice('auto')).toEqual([undefined, [], false]);
    expect(choice('none')).toEqual([undefined, [], true]);
    expect(choice('required')).toEqual([undefined, ['tool_choice'], false]);
    expect(choice('required', [tool('a')])).toEqual([named('a'), [], false]);
    expect(choice(named('b'))).toEqual([named('b'), [], false]);
  });

  test('stays within what is taken, and tells a schema to the model', () => {
    const { sent, dropped } = chat({
      messages: [user('Hi')],
      temperature: 0,
      top_p: 1,
      frequency_penalty: -2,
      presence_penalty: 1,
      reasoning_effort: 'high',
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
    });
    expect(sent).toMatchObject({ temperature: 0.01, penalty_score: 1, response_format: 'json_object' });
    expect(sent['system']).toContain('{"type":"object"}');
    expect(dropped.toSorted()).toEqual(['presence_penalty', 'reasoning_effort']);
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    expect(() => chat({ messages: [user([image])] })).toThrow(expect.objectContaining({ code: 'untranslatable' }));
  });
});

describe('a response', () => {
  const read = (...frames: object[]) => {
    const reader = ernie.createStreamReader(null);
    return frames.flatMap((frame) => reader.read({ name: '', data: JSON.stringify(frame) }));
  };

  test('has a call that is named after it', () => {
    const body = {
      id: 'as-1x',
      result: '',
      function_call: { name: 'get', thoughts: 'Hm', arguments: '{"a":1}' },
      usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 },
    };
    const parts = ernie.readWhole(body, null) ?? [];
    expect(parts.slice(1)).toEqual([
      { type: 'reasoning', text: 'Hm' },
      { type: 'tool_call', index: 0, id: 'call_as-1x', name: 'get' },
      { type: 'tool_arguments', index: 0, text: '{"a":1}' },
      { type: 'finish', reason: 'tool_calls' },
      { type: 'usage', usage: { input: 2, output: 3 } },
    ]);
  });

  test.each([
    [336_003, 400],
    [110, 401],
    [18, 429],
    [336_000, 500],
  ])('error %d stands for %d, whole and within a stream', (error_code, status) => {
    const reported = { error_code, error_msg: 'no' };
    expect(ernie.readError(JSON.stringify(reported), null)).toMatchObject({ status, message: 'no', type: 'baidu_error', code: error_code });
    expect(read(reported)).toMatchObject([{ type: 'error', error: { status } }]);
  });

  test.each([{}, { is_end: 'yes', result: 1 }, { function_call: { name: 5 } }, { is_end: true, finish_reason: {}, usage: [] }])(
    'may be anything: %j',
    (frame) => expect(Array.isArray(read(frame))).toBe(true),
  );
});

async function openScene(engine = embeddedEngine, models = 'ERNIE-4.0-8K') {
  let baidu: FakeBaidu | undefined;
  const front = async (url: string) => (baidu = await startFakeBaidu(url));
  const scene = await createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ models }], front });
  if (baidu === undefined) throw new Error('Nothing stands before the upstream');
  return { scene, baidu };
}

describe.each(oneEngine.map((engine) => ({ engine, kind: engine.kind })))('calls on $kind', ({ engine }) => {
  test('share a token, and are charged alike, whole and streamed', async () => {
    const { scene, baidu } = await openScene(engine);
    await using _scene = scene;
    scene.upstream.behave({ text: 'At noon in Brest.' });
    for (const path of ['/v1/chat/completions', '/v1/messages']) {
      for (const stream of [false, true]) {
        const response = await scene.post(path, { model: 'ERNIE-4.0-8K', max_tokens: 50, stream, messages: [user('Tide?')] });
        expect(response.status).toBe(200);
        expect(await response.text()).toContain('Brest');
      }
    }
    const rows = await scene.logs(4);
    expect(new Set(rows.map(({ quota, completion_tokens }) => `${quota} ${completion_tokens}`)).size).toBe(1);
    expect(rows[0]?.completion_tokens).toBeGreaterThan(0);
    expect(baidu.given.count).toBe(1);
    await scene.checkBooks();
  });

  test.each([false, true])('fetch a token anew that is no longer taken, unheard by their caller (stream: %s)', async (stream) => {
    const { scene, baidu } = await openScene(engine);
    await using _scene = scene;
    const ask = () => scene.chat({ model: 'ERNIE-4.0-8K', max_tokens: 50, stream, messages: [user('Tide?')] });
    expect((await ask()).status).toBe(200);
    scene.app.clock.advance(120_000);
    baidu.revoke();
    const response = await ask();
    expect([response.status, baidu.given.count]).toEqual([200, 2]);
    await response.text();
    const rows = await scene.logs(2);
    expect(rows.map((row) => row.channel_id)).toEqual([scene.channelIds[0], scene.channelIds[0]]);
    await scene.checkBooks();
  });

  test('for embeddings are charged by what is told', async () => {
    const { scene } = await openScene(engine, 'Embedding-V1');
    await using _scene = scene;
    const response = await scene.post('/v1/embeddings', { model: 'Embedding-V1', input: ['ebb', 'flood'] });
    expect(await response.json()).toMatchObject({ data: [{ embedding: [3, 0] }, { embedding: [5, 1] }], usage: { prompt_tokens: 7 } });
    expect((await scene.logs(1))[0]).toMatchObject({ prompt_tokens: 7 });
    await scene.checkBooks();
  });
});
