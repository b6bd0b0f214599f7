// Conversations that are shortened on the way because they are long (`context_management`), before providers that do not do it themselves.
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { createScene, type RelayScene, type SceneOptions, until } from '#tests/support/relay-scene.ts';
import { connectSocket } from '#tests/support/socket-client.ts';
import { faultsOf } from '#tests/support/vendor-schema.ts';

const model = 'claude-sonnet-4-5';
const summary = 'They asked for the tide in Brest.';
const responsesOnly = { type: 1, setting: '{"formats":["openai-responses"]}' };
const upstreams = [
  { format: 'chat', channel: { type: 1 } },
  { format: 'Claude', channel: { type: 14 } },
  { format: 'Gemini', channel: { type: 24, model_mapping: JSON.stringify({ [model]: 'gemini-3-flash-preview' }) } },
];
const cases = oneEngine.flatMap((engine) => upstreams.map((upstream) => ({ engine, kind: engine.kind, ...upstream })));

type Input = OpenAI.Responses.ResponseInputItem[];
type Event = OpenAI.Responses.ResponseStreamEvent;

function clientOf(scene: RelayScene): OpenAI {
  return new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0 });
}

const open = (engine: (typeof oneEngine)[number], channel: object, options: SceneOptions = {}) =>
  createScene(engine, {
    channels: [{ models: model, ...channel }],
    ...options,
    settings: { SelfUseModeEnabled: 'true', ...options.settings },
  });

const requested = (scene: RelayScene) => scene.upstream.requests.map(({ body }) => JSON.stringify(body));
const oldest = `The OLDEST question. ${'About tides and more. '.repeat(120)}`;
const long: Input = [
  { role: 'developer', content: 'Speak like a PILOT.' },
  { role: 'user', content: oldest },
  { role: 'assistant', content: 'Noon.' },
  { role: 'user', content: 'And TOMORROW?' },
];
const above = [{ type: 'compaction', compact_threshold: 400 }];
const params = { model, input: long, context_management: above };

describe.each(cases)('automatic compaction on $kind, before $format', ({ engine, channel }) => {
  test.each([false, true])('a long conversation is summarized, and the response begins with the item (stream: %s)', async (stream) => {
    await using scene = await open(engine, channel);
    scene.upstream.queue({ text: summary }, { text: 'One.' });
    const { responses } = clientOf(scene);
    const events: Event[] = [];
    let reported: OpenAI.Responses.Response;
    if (stream) {
      const streaming = responses.stream({ ...params, store: false });
      for await (const event of streaming) events.push(event);
      reported = await streaming.finalResponse();
    } else {
      const { data, response } = await responses.create({ ...params, store: false }).withResponse();
      expect(response.headers.get('x-tidegate-dropped') ?? '').not.toContain('context_management');
      reported = data;
    }
    expect(reported.output.map(({ type }) => type)).toEqual(['compaction', 'message']);
    expect(reported).toMatchObject({ status: 'completed', output_text: 'One.', store: false });
    const { output_text: _text, ...wire } = reported;
    expect(faultsOf('openai', 'Response', wire)).toEqual([]);
    const [first, second] = requested(scene);
    expect(first).toContain('OLDEST');
    expect(first).not.toContain('TOMORROW');
    expect(second).toContain(summary);
    expect(second).toContain('PILOT');
    expect(second).toContain('TOMORROW');
    expect(second).not.toContain('OLDEST');
    if (stream) {
      expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_event, index) => index));
      const items = events.flatMap((event) =>
        event.type === 'response.output_item.added' || event.type === 'response.output_item.done'
          ? [`${event.type} ${event.output_index} ${event.item.type}`]
          : [],
      );
      expect(items).toEqual([
        'response.output_item.added 0 compaction',
        'response.output_item.done 0 compaction',
        'response.output_item.added 1 message',
        'response.output_item.done 1 message',
      ]);
      expect(
        events
          .filter(({ type }) => type.startsWith('response.output_text'))
          .every((event) => 'output_index' in event && event.output_index === 1),
      ).toBe(true);
    }
    // Two calls, each with its row and its charge.
    const rows = await scene.logs(2);
    expect(rows.map(({ other }) => other?.compaction)).toEqual(['automatic', undefined]);
    expect(rows.every(({ quota, completion_tokens: tokens }) => quota > 0 && tokens > 0)).toBe(true);
    expect(rows[1]?.completion_tokens).toBe(reported.usage?.output_tokens);
    await scene.checkBooks();
  });

  test('the item stands for all before it, whether or not that is sent again, and after a kept response', async () => {
    await using scene = await open(engine, channel);
    const { responses } = clientOf(scene);
    scene.upstream.queue({ text: summary }, { text: 'One.' });
    const first = await responses.create(params);
    const next = { role: 'user' as const, content: 'And LATER?' };
    const output = first.output as Input;
    await responses.create({ model, input: [...long, ...output, next] });
    await responses.create({ model, input: [...output, next] });
    await responses.create({ model, input: [next], previous_response_id: first.id });
    const later = requested(scene).slice(2);
    expect(later).toHaveLength(3);
    for (const body of later) {
      for (const word of [summary, 'PILOT', 'TOMORROW', 'One.', 'LATER']) expect(body).toContain(word);
      expect(body).not.toContain('OLDEST');
    }
    await scene.checkBooks();
  });

  test('results that wait for an answer stay with their calls', async () => {
    await using scene = await open(engine, channel);
    scene.upstream.queue({ text: summary }, { text: 'Noon.' });
    const call = { type: 'function_call' as const, call_id: 'call_1', name: 'get_tide', arguments: '{"port":"BREST"}' };
    const result = { type: 'function_call_output' as const, call_id: 'call_1', output: 'NOON' };
    const tools = [{ type: 'function' as const, name: 'get_tide', parameters: { type: 'object', properties: {} }, strict: false }];
    const reported = await clientOf(scene).responses.create({ ...params, tools, input: [{ role: 'user', content: oldest }, call, result] });
    expect(reported.output[0]?.type).toBe('compaction');
    const [first, second] = requested(scene);
    expect(first).not.toContain('BREST');
    for (const word of [summary, 'BREST', 'NOON']) expect(second).toContain(word);
    expect(second).not.toContain('OLDEST');
    await scene.checkBooks();
  });

  test.each([
    { context_management: null, named: '' },
    { context_management: [], named: '' },
    { context_management: [{ type: 'compaction', compact_threshold: null }], named: 'context_management' },
    { context_management: [{ type: 'compaction' }], named: 'context_management' },
    { context_management: [{ type: 'compaction', compact_threshold: null }, ...above], named: 'context_management', isShortened: true },
  ])('what says no threshold asks for nothing: $context_management', async ({ context_management, named, isShortened = false }) => {
    await using scene = await open(engine, channel);
    if (isShortened) scene.upstream.queue({ text: summary });
    const { data, response } = await clientOf(scene)
      .responses.create({ ...params, context_management, store: false })
      .withResponse();
    expect(response.headers.get('x-tidegate-dropped') ?? '').toBe(named);
    expect(data.output.map(({ type }) => type)).toEqual(isShortened ? ['compaction', 'message'] : ['message']);
    await scene.logs(isShortened ? 2 : 1);
    await scene.checkBooks();
  });

  test('a short one stays as it is, and so does one with nothing behind it; neither is named as left out', async () => {
    await using scene = await open(engine, channel);
    for (const fields of [{ context_management: [{ type: 'compaction', compact_threshold: 5000 }] }, { input: oldest }]) {
      const { data, response } = await clientOf(scene)
        .responses.create({ ...params, ...fields })
        .withResponse();
      expect(data.output.map(({ type }) => type)).toEqual(['message']);
      expect(response.headers.get('x-tidegate-dropped') ?? '').not.toContain('context_management');
    }
    expect(requested(scene)).toHaveLength(2);
    await scene.checkBooks();
  });
});

describe.each(oneEngine)('automatic compaction on $kind', (engine) => {
  test('is left to a provider that does it itself', async () => {
    await using scene = await open(engine, responsesOnly);
    await clientOf(scene).responses.create(params);
    expect(scene.upstream.requests).toHaveLength(1);
    expect(scene.upstream.requests[0]?.body).toMatchObject({ context_management: above });
  });

  test('is done once where such a provider has failed and another one answers', async () => {
    await using scene = await open(engine, responsesOnly, {
      channels: [
        { models: model, ...responsesOnly, priority: 2 },
        { models: model, type: 14, priority: 1 },
      ],
    });
    scene.upstream.queue({ status: 500 }, { status: 500 }, { text: summary }, { text: 'One.' });
    const reported = await clientOf(scene).responses.create(params);
    expect(reported.output.map(({ type }) => type)).toEqual(['compaction', 'message']);
    await scene.checkBooks();
  });

  test.each([false, true])('fails its call where the summary fails, and nothing is charged (stream: %s)', async (stream) => {
    await using scene = await open(engine, { type: 14 });
    scene.upstream.behave({ status: 400 });
    const before = await scene.balance();
    expect(await failureOf(clientOf(scene).responses.create({ ...params, stream }))).toMatchObject({ status: 400 });
    expect(scene.upstream.requests).toHaveLength(1);
    await until(async () => ((await scene.balance()) === before ? true : null));
    await scene.checkBooks();
  });

  test.each([false, true])('a summary whose call has failed is not paid for again by whoever tries again (stream: %s)', async (stream) => {
    await using scene = await open(engine, { type: 14 });
    const client = clientOf(scene).responses;
    const ask = async (body: object = {}) => {
      const requesting = { ...params, store: false, ...body };
      return stream ? await client.stream(requesting).finalResponse() : await client.create(requesting);
    };
    const failed = { status: 400 };
    scene.upstream.queue({ text: summary }, failed, failed, { text: 'One.' });
    for (let tries = 0; tries < 2; tries += 1) expect(await failureOf(ask())).toBeInstanceOf(Error);
    expect(requested(scene)).toHaveLength(3);
    const reported = await ask();
    expect(reported.output.map(({ type }) => type)).toEqual(['compaction', 'message']);
    expect(requested(scene)).toHaveLength(4);
    for (const word of [summary, 'TOMORROW', 'PILOT']) expect(requested(scene)[3]).toContain(word);
    const rows = await scene.logs(4);
    expect(rows.map(({ quota }) => quota > 0)).toEqual([true, false, false, true]);
    // It has had its use.
    scene.upstream.behave({ text: 'Two.' });
    await ask();
    expect(requested(scene)).toHaveLength(6);
    await scene.checkBooks();
  });

  test('needs no more money than its two calls one after the other', async () => {
    const prices = {
      SelfUseModeEnabled: 'false',
      ModelRatio: JSON.stringify({ [model]: 1 }),
      CompletionRatio: JSON.stringify({ [model]: 1 }),
    };
    await using scene = await open(engine, { type: 14 }, { quota: 4000, settings: prices });
    scene.upstream.queue({ text: summary }, { text: 'One.' });
    const reported = await clientOf(scene).responses.create(params);
    expect(reported.output.map(({ type }) => type)).toEqual(['compaction', 'message']);
    const rows = await scene.logs(2);
    const spent = rows.reduce((sum, { quota }) => sum + quota, 0);
    expect(spent).toBeGreaterThan(400);
    await until(async () => ((await scene.balance()) === 4000 - spent ? true : null));
    await scene.checkBooks();
  });

  test.each([false, true])('ends with its caller while the summary is written (stream: %s)', async (stream) => {
    await using scene = await open(engine, { type: 14, setting: '{"on_client_gone":"abort"}' });
    scene.upstream.behave({ firstByteDelay: Infinity });
    const leaving = new AbortController();
    const requesting = clientOf(scene).responses.create({ ...params, stream }, { signal: leaving.signal });
    await until(() => Promise.resolve(scene.upstream.requests.length === 1 ? true : null));
    leaving.abort();
    await failureOf(requesting);
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending: 'client_closed' });
    expect(scene.upstream.requests).toHaveLength(1);
    await scene.checkBooks();
  });

  test('a summary that is empty replaces nothing', async () => {
    await using scene = await open(engine, { type: 14 });
    scene.upstream.queue({ text: ' ' }, { text: 'One.' });
    const reported = await clientOf(scene).responses.create(params);
    expect(reported.output.map(({ type }) => type)).toEqual(['message']);
    expect(requested(scene)[1]).toContain('OLDEST');
    await scene.checkBooks();
  });

  test('in the background and over a socket', async () => {
    await using scene = await open(engine, { type: 14 });
    const { responses } = clientOf(scene);
    scene.upstream.queue({ text: summary }, { text: 'One.' });
    const begun = await responses.create({ ...params, background: true });
    expect(begun).toMatchObject({ status: 'queued', output: [] });
    const ended = await until(async () => {
      const response = await responses.retrieve(begun.id);
      return response.status === 'completed' ? response : null;
    });
    expect(ended.output.map(({ type }) => type)).toEqual(['compaction', 'message']);
    using client = await connectSocket(`${scene.app.origin}/v1/responses`, { headers: { authorization: `Bearer ${scene.key}` } });
    scene.upstream.queue({ text: summary }, { text: 'One.' });
    client.send({ type: 'response.create', ...params, store: false });
    const messages = await client.response();
    expect(messages.map(({ sequence_number: number }) => number)).toEqual(messages.map((_message, index) => index));
    const reported = messages.at(-1)?.['response'];
    expect(reported).toMatchObject({ id: expect.any(String), output: [{ type: 'compaction' }, { type: 'message' }] });
    client.send({ type: 'response.create', model, input: 'And LATER?', previous_response_id: reported.id, store: false });
    await client.response();
    const last = requested(scene).at(-1);
    for (const word of [summary, 'TOMORROW', 'One.', 'LATER']) expect(last).toContain(word);
    expect(last).not.toContain('OLDEST');
    expect(await scene.logs(5)).toHaveLength(5);
    await scene.checkBooks();
  });

  test('both calls belong to one session of the client', async () => {
    await using scene = await open(engine, { type: 14 });
    scene.upstream.queue({ text: summary }, { text: 'One.' });
    await clientOf(scene).responses.create({ ...params, prompt_cache_key: 'session-of-tides-1' });
    const [one, other] = await scene.logs(2);
    expect(one?.session_key).toBeTruthy();
    expect(other?.session_key).toBe(one?.session_key);
  });
});
