// Tencent's Hunyuan against the provider vectors, signatures byte for byte: requests of every client format, responses, and the cost of
// calls, which have no token limit. The stand-in validates requests strictly.
import { describe, expect, test } from 'vitest';
import { callKinds } from '#server/kinds/registry.ts';
import { clientDialects, upstreamDialects } from '#server/formats/registry.ts';
import { TextTally } from '#server/formats/text-tally.ts';
import { TranslatedStream } from '#server/formats/translated-stream.ts';
import { framings } from '#server/framing/registry.ts';
import { authorizeRequest, type UpstreamRequest } from '#server/exchange/build-request.ts';
import { routedRequest } from '#tests/support/routed-request.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { countMessages } from '#tests/support/count-prompt.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { type FakeTencent, startFakeTencent } from '#tests/support/fake-tencent.ts';
import { chatOf } from '#tests/support/hunyuan-responses.ts';
import { noSender } from '#tests/support/no-sender.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';
import { differences, isObject, readVectors, type Vector } from './provider-vectors.ts';
import { problemText } from '#tests/support/problem-text.ts';

const { hunyuan } = upstreamDialects;
const client = clientDialects['openai-chat'];
const kind = callKinds.chat;
const user = (content: unknown) => ({ role: 'user', content });
const tool = (name: string) => ({ type: 'function', function: { name, parameters: {} } });
const call = (id: string, port: string) => ({ id, type: 'function', function: { name: 'get_tide', arguments: JSON.stringify({ port }) } });
const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });

/** What goes to the provider, which takes it. */
function chat(fields: Record<string, unknown>, model = 'hunyuan-turbos-latest') {
  const request = client.readRequest({ model: 'm', ...fields });
  const { body: sent, dropped } = hunyuan.writeRequest(request, { upstreamModel: model, forceUsage: true, settings: defaultSettings });
  expect(chatOf(JSON.parse(JSON.stringify(sent)))).toHaveProperty('requested');
  return { sent, dropped };
}

async function requestOf({ channel, request, context }: Vector): Promise<UpstreamRequest> {
  const { body } = request;
  const { type, key } = channel;
  const open = await routedRequest({
    client,
    clientHeaders: {},
    settings: defaultSettings,
    kind,
    channel: buildPreparedChannel({ type, key }),
    body,
    rawText: JSON.stringify(body),
    originModel: String(body['model']),
    isStream: body['stream'] === true,
    forceUsage: true,
  });
  return authorizeRequest(open, { now: (context?.now_unix ?? 0) * 1000, sender: noSender });
}

const writer = { requestId: 'r1', createdAt: 1_700_000_000, wantsUsage: true, promptEstimate: 0 };

describe.each(readVectors('tencent').map((vector) => ({ name: vector.name, vector })))('$name', ({ vector }) => {
  const { response, response_chunks: chunks, upstream_response: upstream, usage, error } = vector;

  test('sends the expected call, signed byte for byte', async () => {
    const request = await requestOf(vector);
    expect(`${request.origin}${request.path}`).toBe(vector.upstream.url);
    expect(differences(request.headers, vector.upstream.headers, false)).toEqual([]);
    expect(differences(JSON.parse(Buffer.isBuffer(request.body) ? request.body.toString() : ''), vector.upstream.body, true)).toEqual([]);
  });

  if (response !== undefined)
    test('gives the client the expected answer', async () => {
      const { route, upstreamModel } = await requestOf(vector);
      const body = Buffer.from(JSON.stringify(upstream.body));
      const decoded = kind.decode({ client, route, upstreamModel, body, responseFields: {}, writer: { ...writer, model: upstreamModel } });
      if (decoded.kind !== 'whole') throw new Error('It is no response');
      // Ids without OpenAI's prefix are replaced: its clients check prefixes.
      const expected = { ...Object(response.body), id: '$ANY' };
      expect(differences(JSON.parse(decoded.body(null).toString()), expected, false)).toEqual([]);
    });

  if (chunks !== undefined)
    test('gives the client the expected stream', async () => {
      const { route, upstreamModel } = await requestOf(vector);
      const tally = new TextTally({ countText: () => Promise.resolve(0), estimateText: () => 0 });
      const pipe = new TranslatedStream({ client, route, writer: { ...writer, model: upstreamModel }, tally });
      const step = pipe.push(Buffer.from(`${(upstream.sse ?? []).join('\n')}\n\n`));
      expect([step.next, pipe.hasFinished()]).toEqual(['more', true]);
      const text = Buffer.concat([...step.forClient, pipe.ending(pipe.reportedUsage().usage)]).toString();
      const events = [...framings.sse.events(Buffer.from(text))].map(({ data }) => data);
      expect(events.at(-1)).toBe('[DONE]');
      const reported = events.slice(0, -1).map((event): Record<string, unknown> => JSON.parse(event));
      expect(reported.every(({ model }) => model === upstreamModel)).toBe(true);
      const choices = reported.flatMap((event) => (Array.isArray(event['choices']) ? event['choices'].filter(isObject) : []));
      expect(choices.map(({ delta }) => Object(delta).content ?? '').join('')).toBe('Hi!');
      expect(choices.at(-1)).toMatchObject({ finish_reason: 'stop' });
      expect(reported.at(-1)?.['usage']).toMatchObject(usage ?? {});
    });

  if (error !== undefined)
    test('reports the expected error', () => {
      const reported = hunyuan.readError(JSON.stringify(upstream.body), null);
      expect(reported).toMatchObject({ status: error.status, ...error.error });
    });
});

test('a key has three parts, of which the last two sign', () => {
  for (const key of ['1|AKID|SK', 'AKID|SK']) expect(buildPreparedChannel({ type: 23, key }).problem).toBeNull();
  for (const key of ['AKID', '1|AKID|', '1|2|3|4'])
    expect(problemText(buildPreparedChannel({ type: 23, key }))).toContain('SecretId|SecretKey');
});

describe('a request', () => {
  test('has turns that alternate, with no text empty', () => {
    const messages = [
      { role: 'assistant', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'system', content: 'c' },
      user('d'),
      { role: 'assistant', content: '' },
      user(''),
      { role: 'assistant', content: 'e' },
    ];
    expect(chat({ messages }).sent['Messages']).toEqual([
      { Role: 'user', Content: '...' },
      { Role: 'assistant', Content: 'a\nb' },
      { Role: 'user', Content: '<system-reminder>\nc\n</system-reminder>\nd' },
      { Role: 'assistant', Content: 'e' },
      { Role: 'user', Content: '...' },
    ]);
  });

  test('has calls of tools and their results, several at once', () => {
    const messages = [
      user('Tide?'),
      { role: 'assistant', content: null, tool_calls: [call('c1', 'Brest'), call('c2', 'Dover')] },
      result('c1', 'noon'),
      result('c2', ''),
      user('And?'),
    ];
    const requested = (id: string, port: string, Index: number) => ({
      Id: id,
      Type: 'function',
      Function: { Name: 'get_tide', Arguments: JSON.stringify({ port }) },
      Index,
    });
    expect(chat({ messages, tools: [tool('get_tide')] }).sent).toMatchObject({
      Messages: [
        { Role: 'user', Content: 'Tide?' },
        { Role: 'assistant', Content: '...', ToolCalls: [requested('c1', 'Brest', 0), requested('c2', 'Dover', 1)] },
        { Role: 'tool', ToolCallId: 'c1', Content: 'noon' },
        { Role: 'tool', ToolCallId: 'c2', Content: '...' },
        { Role: 'assistant', Content: '...' },
        { Role: 'user', Content: 'And?' },
      ],
      Tools: [{ Type: 'function', Function: { Name: 'get_tide', Parameters: '{"type":"object","properties":{}}' } }],
    });
  });

  test('names one tool, none, or leaves the choice to the model', () => {
    const choice = (tool_choice: unknown, tools = [tool('a'), tool('b')]) => {
      const { sent, dropped } = chat({ messages: [user('Hi')], tools, tool_choice });
      return [sent['ToolChoice'], Object(sent['CustomTool']).Function?.Name, dropped];
    };
    expect(choice('auto')).toEqual([undefined, undefined, []]);
    expect(choice('none')).toEqual(['none', undefined, []]);
    expect(choice('required')).toEqual([undefined, undefined, ['tool_choice']]);
    expect(choice('required', [tool('a')])).toEqual(['custom', 'a', []]);
    expect(choice({ type: 'function', function: { name: 'b' } })).toEqual(['custom', 'b', []]);
  });

  test('has pictures beside a text, and refuses sounds', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const { sent } = chat({ messages: [user('Look'), user([image])] });
    expect(sent['Messages']).toEqual([
      {
        Role: 'user',
        Contents: [
          { Type: 'text', Text: 'Look' },
          { Type: 'image_url', ImageUrl: { Url: 'data:image/png;base64,iVBORw0KGgo=' } },
        ],
      },
    ]);
    expect(chat({ messages: [user([image])] }).sent['Messages']).toMatchObject([{ Contents: [{ Text: '...' }, {}] }]);
    const sound = { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } };
    expect(() => chat({ messages: [user([sound])] })).toThrow(expect.objectContaining({ code: 'untranslatable' }));
  });

  test('stays within what is taken, and names what is lost', () => {
    const { sent, dropped } = chat({
      messages: [user('Hi')],
      max_tokens: 5,
      temperature: 2,
      top_p: 1,
      seed: 0,
      stop: 'END',
      user: 'u1',
      reasoning_effort: 'high',
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
    });
    expect(sent).toMatchObject({ Temperature: 2, TopP: 1, Seed: 1, Stop: ['END'] });
    expect(JSON.stringify(sent['Messages'])).toContain('{\\"type\\":\\"object\\"}');
    expect(dropped.toSorted()).toEqual(['max_tokens', 'reasoning_effort', 'user']);
  });

  test('tells the one model that knows it not to think', () => {
    const fields = { messages: [user('Hi')], reasoning_effort: 'none' };
    expect(chat(fields, 'hunyuan-a13b').sent).toMatchObject({ EnableThinking: false });
    expect(chat(fields, 'hunyuan-t1-latest').sent).not.toHaveProperty('EnableThinking');
  });
});

describe('a response', () => {
  const read = (...events: object[]) => {
    const reader = hunyuan.createStreamReader(null);
    return events.flatMap((event) => reader.read({ name: '', data: JSON.stringify(event) }));
  };
  const delta = (fields: object, FinishReason = '') => ({ Id: 'a', Choices: [{ Index: 0, FinishReason, Delta: fields }] });

  test('has thoughts, calls in pieces and tokens that were in the cache, and is the same when it is written again', () => {
    const begun = { Id: 'c1', Type: 'function', Index: 0, Function: { Name: 'get', Arguments: '' } };
    const parts = read(
      delta({ ReasoningContent: 'Hm' }),
      delta({ Content: 'So' }),
      delta({ ToolCalls: [begun] }),
      delta({ ToolCalls: [{ Index: 0, Function: { Arguments: '{"a"' } }] }),
      delta({ ToolCalls: [{ Id: 'c1', Function: { Name: '', Arguments: ':1}' } }] }),
      delta({ ToolCalls: [{ ...begun, Id: 'c2', Index: 1, Function: { Name: 'put', Arguments: '{}' } }] }),
      { ...delta({}, 'stop'), Usage: { PromptTokens: 9, CompletionTokens: 4, PromptTokensDetails: { CachedTokens: '6' } } },
    );
    expect(parts).toEqual([
      { type: 'start', id: 'a', model: '' },
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'So' },
      { type: 'tool_call', index: 0, id: 'c1', name: 'get' },
      { type: 'tool_arguments', index: 0, text: '{"a"' },
      { type: 'tool_arguments', index: 0, text: ':1}' },
      { type: 'tool_call', index: 1, id: 'c2', name: 'put' },
      { type: 'tool_arguments', index: 1, text: '{}' },
      { type: 'finish', reason: 'tool_calls' },
      { type: 'usage', usage: { input: 3, output: 4, cacheRead: 6 } },
    ]);
  });

  test('that was not safe ends so', () =>
    expect(read(delta({}, 'sensitive')).at(-1)).toEqual({ type: 'finish', reason: 'content_filter' }));

  test.each([
    [{ Response: { Error: { Code: 'InvalidParameterValue.Model', Message: 'no' } } }, 400],
    [{ Response: { Error: { Code: 'ResourceUnavailable.InArrears', Message: 'no' } } }, 403],
    [{ Response: { Error: { Code: 'RequestLimitExceeded', Message: 'no' } } }, 429],
    [{ Response: { Error: { Code: 'InternalError', Message: 'no' } } }, 500],
    [{ ErrorMsg: { Msg: 'no', Code: 4000 } }, 500],
    [{ ErrorMsg: { Msg: 'no', Code: 4001 } }, 504],
  ])('%j stands for %d, whole and within a stream', (reported, status) => {
    expect(hunyuan.readError(JSON.stringify(reported), null)).toMatchObject({ status, message: 'no', type: 'tencent_error' });
    expect(read(reported)).toMatchObject([{ type: 'error', error: { status } }]);
  });

  test.each([{}, { Choices: 'x' }, { Choices: [{ Delta: { ToolCalls: [{ Function: 5 }] } }], Usage: [] }, { ErrorMsg: null }])(
    'may be anything: %j',
    (event) => expect(Array.isArray(read(event))).toBe(true),
  );
});

/** Priced by nothing but the settings below: one token of either kind costs 10. */
const model = 'hunyuan-sea';
const prices = { ModelRatio: JSON.stringify({ [model]: 10 }), CompletionRatio: JSON.stringify({ [model]: 1 }) };
const messages = [user('Tide?')];

async function openScene(
  engine: (typeof oneEngine)[number],
  options: SceneOptions = {},
): Promise<{ scene: RelayScene; tencent: FakeTencent }> {
  let tencent: FakeTencent | undefined;
  const front = async (url: string) => (tencent = await startFakeTencent(url));
  const settings = { ...prices, DefaultMaxOutputTokens: '1000', ...options.settings };
  const scene = await createScene(engine, { channels: [{ models: model }], front, ...options, settings });
  if (tencent === undefined) throw new Error('Nothing stands before the upstream');
  return { scene, tencent };
}

describe.each(oneEngine.map((engine) => ({ engine, kind: engine.kind })))('calls on $kind', ({ engine }) => {
  test('are charged alike, whole and streamed, and are told what is lost', async () => {
    const { scene } = await openScene(engine);
    await using _scene = scene;
    scene.upstream.behave({ text: 'At noon in Brest.' });
    for (const path of ['/v1/chat/completions', '/v1/messages']) {
      for (const stream of [false, true]) {
        const response = await scene.post(path, { model, max_tokens: 50, stream, messages });
        expect(response.status).toBe(200);
        expect(await response.text()).toContain('Brest');
        if (!stream) expect(response.headers.get('x-tidegate-dropped')).toContain('max_tokens');
      }
    }
    const rows = await scene.logs(4);
    expect(new Set(rows.map(({ quota, completion_tokens }) => `${quota} ${completion_tokens}`)).size).toBe(1);
    expect(rows[0]?.completion_tokens).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  test('reserve the largest response, whatever limit they name: an account without so much is not answered', async () => {
    const quota = 10 * 999;
    const { scene, tencent } = await openScene(engine, { quota });
    await using _scene = scene;
    for (const stream of [false, true]) {
      for (const path of ['/v1/chat/completions', '/v1/messages']) {
        const response = await scene.post(path, { model, max_tokens: 1, stream, messages });
        // A stream may have begun while the call waits for money.
        if (!stream) expect(response.status).toBe(403);
        expect(await response.text()).toContain('quota failed');
      }
    }
    expect(tencent.taken).toEqual([]);
    expect(await scene.balance()).toBe(quota);
    await scene.checkBooks();
  });

  test('of one account at once end before its money does, however little each asks for', async () => {
    const prompt = await countMessages([{ role: 'user', content: 'Tide?' }], model);
    const most = 10 * (prompt + 1000);
    const quota = 2 * most + 5;
    const { scene, tencent } = await openScene(engine, { quota });
    await using _scene = scene;
    scene.upstream.behave({ text: 'word '.repeat(1000) });
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const response = await scene.chat({ model, messages, max_tokens: 1 });
        await response.text();
        return response.status;
      }),
    );
    expect(new Set(answers)).toEqual(new Set([200, 403]));
    expect(answers.filter((status) => status === 200)).toHaveLength(tencent.taken.length);
    expect(tencent.taken.length).toBeLessThanOrEqual(2);
    await scene.logs(tencent.taken.length);
    expect(await scene.balance()).toBeGreaterThanOrEqual(0);
    await scene.checkBooks();
  });

  test('that an account cannot cover there go to a channel that keeps to limits', async () => {
    const prompt = await countMessages([{ role: 'user', content: 'Tide?' }], model);
    const { scene, tencent } = await openScene(engine, { quota: 10 * (prompt + 100), settings: { RetryTimes: '0' }, channels: [] });
    await using _scene = scene;
    await scene.addChannel({ models: model, priority: 10 });
    const plain = await scene.addChannel({ models: model, type: 1, key: 'sk-1', base_url: scene.upstream.url });
    scene.upstream.behave({ text: 'word '.repeat(50) });
    const response = await scene.chat({ model, messages, max_tokens: 5 });
    expect(response.status).toBe(200);
    await response.text();
    expect(tencent.taken).toEqual([]);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ channel_id: plain, completion_tokens: 5 });
    await scene.checkBooks();
  });
});
