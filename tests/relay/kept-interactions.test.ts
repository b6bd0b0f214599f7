// Interactions stored for their callers: retrieved, continued, deleted, run without their callers; with providers of every format.
import { GoogleGenAI, type Interactions } from '@google/genai';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { failOrphans } from '#server/slices/responses/background.ts';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { createScene, type RelayScene, type SceneOptions, setOption, until } from '#tests/support/relay-scene.ts';

const model = 'claude-sonnet-4-5';
const upstreams = [
  { format: 'chat', channel: { type: 1 } },
  { format: 'Claude', channel: { type: 14 } },
  { format: 'Gemini', channel: { type: 24, model_mapping: JSON.stringify({ [model]: 'gemini-3-flash-preview' }) } },
  { format: 'Responses', channel: { type: 1, setting: '{"formats":["openai-responses"]}' } },
];
const cases = engines.flatMap((engine) => upstreams.map((upstream) => ({ engine, kind: engine.kind, ...upstream })));
const once = { maxRetries: 0 };

function clientOf(scene: RelayScene, apiKey = scene.key) {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: scene.app.origin } }).interactions;
}

const openOn =
  (engine: (typeof engines)[number], channel: object) =>
  (options: SceneOptions = {}) =>
    createScene(engine, {
      channels: [{ models: model, ...channel }],
      ...options,
      settings: { SelfUseModeEnabled: 'true', ...options.settings },
    });

describe.each(cases)('kept interactions on $kind, before $format', ({ engine, channel }) => {
  const open = openOn(engine, channel);
  const lastRequested = (scene: RelayScene) => JSON.stringify(scene.upstream.requests.at(-1)?.body);

  test('one is what its caller was told, with its input, until it is deleted', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'Noon in Brest.' });
    const interactions = clientOf(scene);
    const { sdkHttpResponse: _sent, ...reported } = await interactions.create({
      model,
      input: 'When is high water?',
      labels: { port: 'Brest' },
      automatic_continuation: false,
    });
    expect(reported).toMatchObject({ id: expect.stringMatching(/^v1_\w+$/), status: 'completed', labels: { port: 'Brest' } });
    const { sdkHttpResponse: _read, ...stored } = await interactions.get(reported.id);
    expect(stored).toEqual(reported);
    const { input } = await interactions.get(reported.id, { include_input: true });
    expect(input).toEqual([{ type: 'user_input', content: [{ type: 'text', text: 'When is high water?' }] }]);
    await interactions.delete(reported.id);
    expect(await failureOf(interactions.get(reported.id, {}, once))).toMatchObject({ status: 404 });
    expect(await failureOf(interactions.delete(reported.id, {}, once))).toMatchObject({ status: 404 });
    for (const name of ['responses', 'response_items', 'response_pieces'] as const)
      expect(await scene.app.context.db.collection(name).count({})).toBe(0);
    await scene.checkBooks();
  });

  test.each([false, true])('a conversation goes on from one to the next (stream: %s)', async (stream) => {
    await using scene = await open();
    const interactions = clientOf(scene);
    const ask = async (input: string, previous?: string) => {
      scene.upstream.queue({ text: `Answer to ${input}.` });
      const body = {
        model,
        input,
        ...(previous === undefined ? { system_instruction: 'SECRET ORDERS' } : { previous_interaction_id: previous }),
      };
      if (!stream) return (await interactions.create(body, once)).id;
      const events = await Array.fromAsync(await interactions.create({ ...body, stream: true }, once));
      const last = events.at(-1);
      return last?.event_type === 'interaction.completed' ? last.interaction.id : '';
    };
    const first = await ask('one');
    const second = await ask('two', first);
    const third = await ask('three', second);
    for (const text of ['one', 'Answer to one.', 'two', 'Answer to two.', 'three']) expect(lastRequested(scene)).toContain(text);
    expect(lastRequested(scene)).not.toContain('SECRET ORDERS');
    expect(lastRequested(scene)).not.toContain('previous_interaction_id');
    expect(await interactions.get(third)).toMatchObject({ previous_interaction_id: second, output_text: 'Answer to three.' });
    await interactions.delete(first);
    expect(await failureOf(interactions.create({ model, input: 'four', previous_interaction_id: second }, once))).toMatchObject({
      status: 400,
    });
    await scene.logs(3);
    await scene.checkBooks();
  });

  test('what a tool answered is sent alone, with thoughts and calls from what is kept', async () => {
    await using scene = await open();
    scene.upstream.behave({
      reasoning: 'Ask the harbour.',
      toolCalls: [{ name: 'get_tide', arguments: '{"port":"Brest"}' }],
      text: 'At noon.',
    });
    const interactions = clientOf(scene);
    const tools: Interactions.Tool[] = [
      { type: 'function', name: 'get_tide', parameters: { type: 'object', properties: { port: { type: 'string' } } } },
    ];
    const first = await interactions.create({ model, input: 'Tide?', tools, generation_config: { thinking_level: 'high' } }, once);
    expect(first.status).toBe('requires_action');
    const call = first.steps.find((step) => step.type === 'function_call');
    const second = await interactions.create(
      {
        model,
        tools,
        generation_config: { thinking_level: 'high' },
        previous_interaction_id: first.id,
        input: [{ type: 'function_result', call_id: call?.id ?? '', name: 'get_tide', result: 'noon' }],
      },
      once,
    );
    expect(second).toMatchObject({ status: 'completed', output_text: 'At noon.' });
    expect((await interactions.get(first.id)).status).toBe('requires_action');
    await scene.checkBooks();
  });
});

describe.each(engines)('kept interactions on $kind', (engine) => {
  const open = openOn(engine, { type: 14 });

  test('nobody else reads one, and it is none of the responses', async () => {
    await using scene = await open();
    const { id } = await clientOf(scene).create({ model, input: 'Mine' }, once);
    const stranger = await scene.app.createUser({ quota: 5_000_000 });
    const other = await createToken(scene.app.context, stranger.id);
    for (const ask of [
      () => clientOf(scene, other.key).get(id, {}, once),
      () => clientOf(scene, other.key).delete(id, {}, once),
      () => new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0 }).responses.retrieve(id),
      () => new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0 }).responses.delete(id),
    ])
      expect(await failureOf(ask())).toMatchObject({ status: 404 });
    expect((await clientOf(scene).get(id)).id).toBe(id);
  });

  test('store: false leaves nothing, and a site that keeps nothing refuses by name', async () => {
    await using scene = await open();
    const interactions = clientOf(scene);
    const { id } = await interactions.create({ model, input: 'Hi', store: false }, once);
    expect(await failureOf(interactions.get(id, {}, once))).toMatchObject({ status: 404 });
    expect(await failureOf(interactions.create({ model, input: 'Hi', store: false, background: true }, once))).toMatchObject({
      status: 400,
    });
    await setOption(scene.app, 'ResponseStoreEnabled', 'false');
    const refused = await failureOf(interactions.create({ model, input: 'Hi', previous_interaction_id: id }, once));
    expect(refused).toMatchObject({ status: 400, message: expect.stringContaining('previous_interaction_id') });
    expect(await scene.app.context.db.collection('responses').count({})).toBe(0);
  });

  test('a finished one is told again as a stream', async () => {
    await using scene = await open();
    scene.upstream.behave({ reasoning: 'The moon is full.', text: 'At noon.' });
    const interactions = clientOf(scene);
    const { id, steps } = await interactions.create({ model, input: 'Tide?', generation_config: { thinking_level: 'high' } }, once);
    const events = await Array.fromAsync(await interactions.get(id, { stream: true }));
    expect(events[0]?.event_type).toBe('interaction.created');
    const texts = events.map((event) => (event.event_type === 'step.delta' && event.delta.type === 'text' ? event.delta.text : ''));
    expect(texts.join('')).toBe('At noon.');
    expect(events.at(-1)).toMatchObject({ event_type: 'interaction.completed', interaction: { id, status: 'completed', steps } });
    const rest = await Array.fromAsync(await interactions.get(id, { stream: true, last_event_id: events[2]?.event_id ?? '' }));
    expect(rest).toEqual(events.slice(3));
  });

  test('goes on without its caller, is followed, and charged once', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'one two three four five', holdAfter: 3 }, { times: 1 });
    const interactions = clientOf(scene);
    const begun = await interactions.create({ model, input: 'Count', background: true }, once);
    expect(begun).toMatchObject({ status: 'in_progress', id: expect.stringMatching(/^v1_/) });
    (await scene.upstream.request(0)).release();
    const ended = await until(async () => {
      const now = await interactions.get(begun.id);
      return now.status === 'in_progress' ? null : now;
    });
    expect(ended).toMatchObject({ status: 'completed', output_text: 'one two three four five' });
    const events = await Array.fromAsync(await interactions.get(begun.id, { stream: true }));
    expect(events.map(({ event_id: id }) => Number(id))).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)).toMatchObject({ event_type: 'interaction.completed', interaction: { id: begun.id, status: 'completed' } });
    const rest = await Array.fromAsync(await interactions.get(begun.id, { stream: true, last_event_id: '3' }));
    expect(rest.length).toBeGreaterThan(0);
    expect(rest.every(({ event_id: id }) => Number(id) > 3)).toBe(true);
    const next = await interactions.create({ model, input: 'On', previous_interaction_id: begun.id }, once);
    expect(next.previous_interaction_id).toBe(begun.id);
    await scene.logs(2);
    await scene.checkBooks();
  });

  test('is called off, and costs what had come', async () => {
    await using scene = await open();
    scene.upstream.behave({ repeat: { text: 'wave ', times: 500 }, holdAfter: 12 });
    const interactions = clientOf(scene);
    const stream = await interactions.create({ model, input: 'Waves', background: true, stream: true }, once);
    let id = '';
    for await (const event of stream) {
      if (event.event_type === 'interaction.created') id = event.interaction.id;
      if (event.event_type === 'step.delta') break;
    }
    const { key } = scene;
    const response = await fetch(`${scene.app.origin}/v1beta/interactions/${id}/cancel`, {
      method: 'POST',
      headers: { 'x-goog-api-key': key },
    });
    expect(await response.json()).toMatchObject({ id, status: 'cancelled' });
    expect(await (await scene.upstream.request(0)).closed).toBe('aborted');
    const events = await Array.fromAsync(await interactions.get(id, { stream: true }));
    expect(events.at(-1)).toMatchObject({ event_type: 'interaction.completed', interaction: { id, status: 'cancelled' } });
    const [row] = await scene.logs(1);
    expect(row?.completion_tokens).toBeGreaterThan(5);
    await scene.checkBooks();
  });

  test('one whose process is gone has failed, and says so', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'one two three', holdAfter: 2 });
    const interactions = clientOf(scene);
    const { id } = await interactions.create({ model, input: 'Count', background: true }, once);
    await scene.upstream.request(0);
    const responses = scene.app.context.db.collection('responses');
    await responses.patch({ id }, { set: { alive_until: scene.app.context.now() - 1 } });
    await failOrphans(scene.app.context);
    const failed = { id, status: 'failed', errors: [{ code: 'server_error' }] };
    expect(await interactions.get(id)).toMatchObject(failed);
    // It was still alive, and continues: its writes change nothing.
    (await scene.upstream.request(0)).release();
    await scene.logs(1);
    expect(await interactions.get(id)).toMatchObject(failed);
    await scene.checkBooks();
  });
});
