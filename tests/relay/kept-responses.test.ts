// Responses stored for their callers: retrieved, continued, deleted, swept; with providers of every format.
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { PartBudget } from '#server/framing/part-budget.ts';
import { readChain } from '#server/slices/responses/read-chain.ts';
import { ResponseStore } from '#server/slices/responses/response-store.ts';
import { sweepResponses, sweepResponsesOfDeleted } from '#server/slices/responses/sweep-responses.ts';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { createScene, type RelayScene, type SceneOptions, setOption, until } from '#tests/support/relay-scene.ts';

const model = 'claude-sonnet-4-5';
/** By providers of these tests. */
const countReported = 4242;
const upstreams = [
  { format: 'chat', channel: { type: 1 } },
  { format: 'Claude', channel: { type: 14 } },
  { format: 'Gemini', channel: { type: 24, model_mapping: JSON.stringify({ [model]: 'gemini-3-flash-preview' }) } },
  { format: 'Responses', channel: { type: 1, setting: '{"formats":["openai-responses"]}' } },
];
const cases = engines.flatMap((engine) => upstreams.map((upstream) => ({ engine, kind: engine.kind, ...upstream })));

function clientOf(scene: RelayScene, apiKey = scene.key): OpenAI {
  return new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey, maxRetries: 0 });
}

describe.each(cases)('kept responses on $kind, before $format', ({ engine, channel }) => {
  const open = (options: SceneOptions = {}) =>
    createScene(engine, {
      channels: [{ models: model, ...channel }],
      ...options,
      settings: { SelfUseModeEnabled: 'true', ...options.settings },
    });
  const lastRequested = (scene: RelayScene) => JSON.stringify(scene.upstream.requests.at(-1)?.body);

  test('what a model thought is told again to who wants it', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'Noon.', reasoning: 'The moon.' });
    const { responses } = clientOf(scene);
    const include = ['reasoning.encrypted_content' as const];
    const { id, output } = await responses.create({ model, input: 'Tide?', include, reasoning: { effort: 'low' } });
    const thoughts = (items: readonly object[]) => items.filter((item) => 'type' in item && item.type === 'reasoning');
    expect(thoughts((await responses.retrieve(id, { include })).output)).toEqual(thoughts(output));
    for (const item of thoughts((await responses.retrieve(id)).output))
      expect(item).not.toMatchObject({ encrypted_content: expect.any(String) });
    expect(await failureOf(responses.retrieve(id, { include: ['tide' as never] }))).toMatchObject({ status: 400, param: 'include' });
  });

  test('a response is what its caller was told, with its input, until it is deleted', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'Noon in Brest.' });
    const { responses } = clientOf(scene);
    const reported = await responses.create({ model, input: 'When is high water?', instructions: 'Be brief', metadata: { port: 'Brest' } });
    expect(reported).toMatchObject({ id: expect.stringMatching(/^resp_[0-9a-f]{48}$/), store: true, metadata: { port: 'Brest' } });
    const stored = await responses.retrieve(reported.id);
    expect(stored).toEqual(reported);
    const items = await responses.inputItems.list(reported.id);
    expect(items.data).toMatchObject([{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'When is high water?' }] }]);
    await responses.delete(reported.id);
    expect(await failureOf(responses.retrieve(reported.id))).toMatchObject({ status: 404 });
    expect(await failureOf(responses.delete(reported.id))).toMatchObject({ status: 404 });
    const left = ['responses', 'response_items', 'response_pieces'] as const;
    for (const name of left) expect(await scene.app.context.db.collection(name).count({})).toBe(0);
    await scene.checkBooks();
  });

  test.each([false, true])(
    'a conversation goes on from one response to the next, without its instructions (stream: %s)',
    async (stream) => {
      await using scene = await open();
      const { responses } = clientOf(scene);
      const ask = async (input: string, previous?: string) => {
        scene.upstream.queue({ text: `Answer to ${input}.` });
        const body = { model, input, ...(previous === undefined ? { instructions: 'SECRET ORDERS' } : { previous_response_id: previous }) };
        return stream ? responses.stream(body).finalResponse() : responses.create(body);
      };
      const first = await ask('one');
      const second = await ask('two', first.id);
      const third = await ask('three', second.id);
      expect(third).toMatchObject({ previous_response_id: second.id, instructions: null });
      const requested = lastRequested(scene);
      const places = ['one', 'Answer to one.', 'two', 'Answer to two.', 'three'].map((text) => requested.indexOf(`"${text}"`));
      expect(places.every((place) => place > 0)).toBe(true);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(requested).not.toContain('SECRET ORDERS');
      // A branch from the first knows nothing of the second.
      await ask('else', first.id);
      expect(lastRequested(scene)).not.toContain('"two"');
      expect((await responses.inputItems.list(third.id)).data).toHaveLength(1);
      await scene.logs(4);
      await scene.checkBooks();
    },
  );

  test('calls of tools are answered by what goes on from them, and items are named by their ids', async () => {
    await using scene = await open();
    scene.upstream.behave({ toolCalls: [{ name: 'get_tide', arguments: '{"port":"Brest"}' }], text: 'Noon.' });
    const { responses } = clientOf(scene);
    const tools = [
      {
        type: 'function' as const,
        name: 'get_tide',
        parameters: { type: 'object', properties: { port: { type: 'string' } } },
        strict: false,
      },
    ];
    const first = await responses.create({ model, input: 'Tide?', tools });
    const call = first.output.find((item) => item.type === 'function_call');
    if (call?.id === undefined) throw new Error('No call came');
    const result = { type: 'function_call_output' as const, call_id: call.call_id, output: 'noon' };
    const second = await responses.create({ model, input: [result], tools, previous_response_id: first.id });
    expect(second.output_text).toBe('Noon.');
    const question = { role: 'user' as const, content: 'Tide?' };
    const references = first.output.map(({ id }) => ({ type: 'item_reference' as const, id: id ?? '' }));
    const third = await responses.create({ model, input: [question, ...references, result], tools });
    expect(third.output_text).toBe('Noon.');
    expect(lastRequested(scene)).toContain('get_tide');
  });

  test('a stream tells the same response again', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'Noon in Brest.' });
    const { responses } = clientOf(scene);
    const heads: string[] = [];
    for await (const event of await responses.create({ model, input: 'Tide?', stream: true }))
      if ('response' in event) heads.push(event.response.id);
    expect(new Set(heads).size).toBe(1);
    const [id = ''] = heads;
    const reported = await responses.retrieve(id);
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of await responses.retrieve(id, { stream: true })) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { id, output: reported.output } });
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_event, index) => index));
    const rest: unknown[] = [];
    for await (const event of await responses.retrieve(id, { stream: true, starting_after: 3 })) rest.push(event);
    expect(rest).toEqual(events.slice(4));
  });

  test('a prompt is counted with all that it goes on from, and nothing is charged', async () => {
    await using scene = await open();
    const { responses } = clientOf(scene);
    const first = await responses.create({ model, input: 'word '.repeat(300) });
    const short = await responses.inputTokens.count({ model, input: 'Hi' });
    const long = await responses.inputTokens.count({ model, input: 'Hi', previous_response_id: first.id });
    expect(short).toMatchObject({ object: 'response.input_tokens', input_tokens: expect.any(Number) });
    // A provider that counts returns the same for every prompt here: its request shows the difference.
    if (short.input_tokens === countReported) expect(lastRequested(scene)).toContain('word word');
    else expect(long.input_tokens).toBeGreaterThan(short.input_tokens + 200);
    expect(await scene.logs(1)).toHaveLength(1);
  });
});

describe.each(engines)('what is kept of responses on $kind', (engine) => {
  test('a long request that is kept counts as held until its stream is complete, another one until it begins', async () => {
    await using scene = await createScene(engine, { channels: [{ models: model, type: 14 }], settings: { SelfUseModeEnabled: 'true' } });
    const { bodies } = scene.app.context;
    scene.upstream.behave({ text: 'High water is at noon.', holdAfter: 1 });
    for (const store of [true, false]) {
      const response = await scene.post('/v1/responses', { model, stream: true, store, input: 'x '.repeat(1_000_000) });
      const reader = response.body?.getReader();
      await reader?.read();
      // The prompt itself is still being counted.
      expect(bodies.bytes > 4_000_000, `${bodies.bytes}`).toBe(store);
      await reader?.cancel();
      await until(() => bodies.bytes === 0 || null);
    }
  });

  test('what goes on without its caller counts as held until it ends, with all that it goes on from', async () => {
    await using scene = await createScene(engine);
    const { bodies } = scene.app.context;
    const first = await ask(scene, { input: 'one '.repeat(200_000) });
    await until(() => bodies.bytes === 0 || null);
    scene.upstream.behave({ text: 'High water is at noon.', holdAfter: 1 });
    const { id } = await ask(scene, { input: 'two '.repeat(200_000), previous_response_id: first.id, background: true });
    const request = await scene.upstream.request(1);
    await until(() => request.eventsSent > 0 || null);
    await until(async () => (await clientOf(scene).responses.retrieve(id)).status === 'in_progress' || null);
    const running = await scene.app.context.db.collection('responses').get(id);
    expect(bodies.bytes).toBeGreaterThan(1_600_000);
    request.release();
    await until(async () => (await clientOf(scene).responses.retrieve(id)).status === 'completed' || null);
    await until(() => bodies.bytes === 0 || null);
    // A reader that has found it running, and whose pieces are replaced meanwhile.
    if (running === null) throw new Error('The running response is not stored');
    const pieces = scene.app.context.db.collection('response_pieces');
    await until(async () => (await pieces.count({ response_id: id, version: running.pieces_version ?? '' })) === 0 || null);
    expect(await new ResponseStore(scene.app.context).responseIn(running)).toMatchObject({ id, status: 'completed' });
  });

  const chatModel = 'gpt-4o-mini';
  const open = (options: SceneOptions = {}) => createScene(engine, options);
  const ask = (scene: RelayScene, fields: object = {}) => clientOf(scene).responses.create({ model: chatModel, input: 'Hi', ...fields });
  const count = (scene: RelayScene) => scene.app.context.db.collection('responses').count({});

  test('nothing with `store: false`, nothing where the site keeps nothing, nothing that can be read at rest', async () => {
    await using scene = await open();
    expect(await ask(scene, { store: false })).toMatchObject({ store: false });
    expect(await count(scene)).toBe(0);
    scene.upstream.behave({ text: 'The answer of the oracle' });
    await ask(scene, { input: 'The question of the pilgrim' });
    const [record] = await scene.app.context.db.collection('responses').find({});
    expect(JSON.stringify(record)).not.toMatch(/oracle|pilgrim/);
    await setOption(scene.app, 'ResponseStoreEnabled', 'false');
    expect(await ask(scene)).toMatchObject({ store: false });
    expect(await failureOf(ask(scene, { previous_response_id: record?.id }))).toMatchObject({ code: 'responses_not_kept' });
    expect(await count(scene)).toBe(1);
  });

  test("another user's response is not there; another key of the same user reads it; who is banned reads nothing", async () => {
    await using scene = await open();
    const { id } = await ask(scene);
    const stranger = await scene.app.createUser({ quota: 5_000_000 });
    const { key } = await scene.addToken();
    const { key: foreign } = await createToken(scene.app.context, stranger.id);
    const { responses } = clientOf(scene, foreign);
    const went = { model: chatModel, input: 'Hi', previous_response_id: id };
    const failure = await failureOf(responses.create(went));
    expect(failure).toMatchObject({ status: 400, code: 'previous_response_not_found', param: 'previous_response_id' });
    expect(await failureOf(responses.create({ ...went, previous_response_id: 'resp_unknown' }))).toMatchObject({ status: 400 });
    expect(await failureOf(responses.retrieve(id))).toMatchObject({ status: 404 });
    expect(await failureOf(responses.delete(id))).toMatchObject({ status: 404 });
    expect(await failureOf(responses.cancel(id))).toMatchObject({ status: 404 });
    expect(await failureOf(responses.inputItems.list(id))).toMatchObject({ status: 404 });
    expect(scene.upstream.requests).toHaveLength(1);
    expect(await clientOf(scene, key).responses.retrieve(id)).toMatchObject({ id });
    await scene.app.context.db.collection('users').patch({ id: scene.user.id }, { set: { status: 2 } });
    await scene.app.context.changes.announce('user', scene.user.id);
    expect(await failureOf(clientOf(scene).responses.retrieve(id))).toMatchObject({ status: 403 });
  });

  test('what is read of them counts as bodies of their owner until it has left', async () => {
    await using scene = await open();
    const { id } = await ask(scene, { input: 'first' });
    const { bodies, db } = scene.app.context;
    await db.collection('responses').patch({ id }, { set: { bytes: 60_000_000 } });
    const taken = bodies.open(`user:${scene.user.id}`);
    taken.grow(170_000_000);
    expect(await failureOf(clientOf(scene).responses.retrieve(id))).toMatchObject({ status: 429 });
    expect(await failureOf(clientOf(scene).responses.inputItems.list(id))).toMatchObject({ status: 429 });
    taken.shrinkTo(0);
    expect(await clientOf(scene).responses.retrieve(id)).toMatchObject({ id });
    await until(() => Promise.resolve(bodies.bytes === 0 ? true : null));
  });

  test('an item that is referred to many times has its length as many times', async () => {
    await using scene = await open();
    const first = await ask(scene, { input: 'tide '.repeat(200_000) });
    const [long] = (await clientOf(scene).responses.inputItems.list(first.id)).data;
    const references = (length: number) => Array.from({ length }, () => ({ type: 'item_reference' as const, id: long?.id ?? '' }));
    const before = scene.upstream.requests.length;
    expect(await failureOf(ask(scene, { input: references(65) }))).toMatchObject({ code: 'conversation_too_long', status: 400 });
    expect(scene.upstream.requests).toHaveLength(before);
    await ask(scene, { input: references(2) });
  });

  test('a chain with a hole is refused; one beyond the bounds is refused, or cut where its caller wants that', async () => {
    await using scene = await open();
    const first = await ask(scene, { input: 'first' });
    const second = await ask(scene, { input: 'second', previous_response_id: first.id });
    const third = await ask(scene, { input: 'third', previous_response_id: second.id });
    const responses = scene.app.context.db.collection('responses');
    await responses.patch({ id: third.id }, { set: { previous_count: 10_000 } });
    expect(await failureOf(ask(scene, { previous_response_id: third.id }))).toMatchObject({ code: 'conversation_too_long', status: 400 });
    await ask(scene, { previous_response_id: third.id, truncation: 'auto' });
    await clientOf(scene).responses.delete(second.id);
    const failure = await failureOf(ask(scene, { previous_response_id: third.id, truncation: 'auto' }));
    expect(failure).toMatchObject({ code: 'previous_response_not_found', status: 400, message: expect.stringContaining(second.id) });
    await scene.checkBooks();
  });

  test('a chain longer than what one record knows is read whole', async () => {
    await using scene = await open();
    let previous: string | undefined;
    const { context } = scene.app;
    const store = new ResponseStore(context);
    const hold = context.bodies.open('test');
    const read = (id: string) =>
      readChain(store, { owner: { userId: scene.user.id }, id, mostBytes: 1e6, isCut: false, hold, budget: new PartBudget() });
    for (let turn = 0; turn < 150; turn += 1) {
      const chain = previous === undefined ? null : (await read(previous)).chain;
      const id = `resp_${turn}`;
      const output = [{ type: 'message', id: `msg_${turn}`, role: 'assistant', content: [{ type: 'output_text', text: `a${turn}` }] }];
      await store.insert({
        response: { id, status: 'completed', output },
        userId: scene.user.id,
        input: [{ role: 'user', content: `q${turn}` }],
        chain,
      });
      previous = id;
    }
    const { items } = await read('resp_149');
    expect(items).toHaveLength(300);
    expect(items[0]).toMatchObject({ content: 'q0' });
    expect(items.at(-1)).toMatchObject({ id: 'msg_149' });
  });

  test('the oldest go when a user has too many, and all that is older than the site keeps it', async () => {
    await using scene = await open({ settings: { ResponsesPerUser: '10' } });
    const ids: string[] = [];
    for (let turn = 0; turn < 12; turn += 1) {
      ids.push((await ask(scene)).id);
      scene.app.clock.advance(1_000);
    }
    await until(async () => ((await count(scene)) <= 10 ? true : null));
    expect(await failureOf(clientOf(scene).responses.retrieve(ids[0] ?? ''))).toMatchObject({ status: 404 });
    expect(await clientOf(scene).responses.retrieve(ids.at(-1) ?? '')).toMatchObject({ id: ids.at(-1) });
    scene.app.clock.advance(31 * 86_400_000);
    expect(await failureOf(clientOf(scene).responses.retrieve(ids.at(-1) ?? ''))).toMatchObject({ status: 404 });
    await sweepResponses(scene.app.context);
    expect(await count(scene)).toBe(0);
    expect(await scene.app.context.db.collection('response_items').count({})).toBe(0);
    expect(await scene.app.context.db.collection('response_holdings').get(scene.user.id)).toMatchObject({ count: 0, bytes: 0 });
  });

  test('of a user who is deleted nothing stays', async () => {
    await using scene = await open();
    await ask(scene);
    await scene.app.context.db.collection('users').patch({ id: scene.user.id }, { set: { DeletedAt: '2026-11-24T00:00:00Z' } });
    await sweepResponsesOfDeleted(scene.app.context);
    expect(await count(scene)).toBe(0);
  });

  test('a large response is kept in pieces and comes back whole', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'word '.repeat(2_000_000) });
    const reported = await ask(scene);
    expect(await scene.app.context.db.collection('response_pieces').count({})).toBeGreaterThan(1);
    expect((await clientOf(scene).responses.retrieve(reported.id)).output_text).toBe(reported.output_text);
    await clientOf(scene).responses.delete(reported.id);
    expect(await scene.app.context.db.collection('response_pieces').count({})).toBe(0);
  });
});

describe.each(engines)('conversations on $kind', (engine) => {
  const chatModel = 'gpt-4o-mini';
  const ask = (scene: RelayScene, fields: object = {}) => clientOf(scene).responses.create({ model: chatModel, input: 'Hi', ...fields });
  const textsOf = (items: OpenAI.Conversations.ConversationItem[]) =>
    items.map((item) => (item.type === 'message' ? item.content.map((part) => ('text' in part ? part.text : '')).join('') : item.type));

  test('are made, changed, paged through and deleted', async () => {
    await using scene = await createScene(engine);
    const { conversations } = clientOf(scene);
    const made = await conversations.create({ metadata: { port: 'Brest' }, items: [{ role: 'user', content: 'one' }] });
    expect(made).toMatchObject({ id: expect.stringMatching(/^conv_[0-9a-f]{48}$/), object: 'conversation', metadata: { port: 'Brest' } });
    expect(await conversations.update(made.id, { metadata: { port: 'Dover' } })).toMatchObject({ metadata: { port: 'Dover' } });
    expect(await conversations.retrieve(made.id)).toMatchObject({ id: made.id, metadata: { port: 'Dover' } });
    const items = ['two', 'three', 'four'].map((content) => ({ role: 'user' as const, content }));
    const added = await conversations.items.create(made.id, { items });
    expect(textsOf(added.data)).toEqual(['two', 'three', 'four']);
    const listed: OpenAI.Conversations.ConversationItem[] = [];
    for await (const item of conversations.items.list(made.id, { limit: 2, order: 'asc' })) listed.push(item);
    expect(textsOf(listed)).toEqual(['one', 'two', 'three', 'four']);
    expect(textsOf((await conversations.items.list(made.id, { limit: 3 })).data)).toEqual(['four', 'three', 'two']);
    const [, second] = listed;
    const place = { conversation_id: made.id };
    expect(await conversations.items.retrieve(second?.id ?? '', place)).toEqual(second);
    expect(await conversations.items.delete(second?.id ?? '', place)).toMatchObject({ id: made.id });
    expect(await failureOf(conversations.items.retrieve(second?.id ?? '', place))).toMatchObject({ status: 404 });
    expect(await conversations.delete(made.id)).toMatchObject({ deleted: true, object: 'conversation.deleted' });
    expect(await failureOf(conversations.retrieve(made.id))).toMatchObject({ status: 404 });
    expect(await scene.app.context.db.collection('conversation_items').count({})).toBe(0);
  });

  test('an item that is deleted many times at once gives its bytes back once', async () => {
    await using scene = await createScene(engine);
    const { conversations } = clientOf(scene);
    const { id } = await conversations.create({ items: ['one', 'two'].map((content) => ({ role: 'user' as const, content })) });
    const [first, second] = (await conversations.items.list(id)).data;
    const deleting = Array.from({ length: 8 }, () => conversations.items.delete(first?.id ?? '', { conversation_id: id }));
    expect((await Promise.allSettled(deleting)).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { db } = scene.app.context;
    const left = await db.collection('conversation_items').get(`${id}:${second?.id}`);
    expect(left?.bytes).toBeGreaterThan(0);
    expect(await db.collection('conversations').get(id)).toMatchObject({ bytes: left?.bytes });
    expect(await db.collection('response_holdings').get(scene.user.id)).toMatchObject({ bytes: left?.bytes });
  });

  test('grow by responses, in order, and go upstream whole', async () => {
    await using scene = await createScene(engine);
    const client = clientOf(scene);
    const { id } = await client.conversations.create();
    scene.upstream.queue({ text: 'First answer.' }, { text: 'Second answer.' });
    expect(await ask(scene, { input: 'first', conversation: id, store: false })).toMatchObject({ conversation: { id }, store: false });
    await client.responses.stream({ model: chatModel, input: 'second', conversation: { id } }).finalResponse();
    const items = await client.conversations.items.list(id, { order: 'asc' });
    expect(textsOf(items.data)).toEqual(['first', 'First answer.', 'second', 'Second answer.']);
    expect(JSON.stringify(scene.upstream.requests.at(-1)?.body)).toMatch(/first.*First answer.*second/);
    const counted = await client.responses.inputTokens.count({ model: chatModel, input: 'x', conversation: id });
    expect(counted.input_tokens).toBeGreaterThan(10);
    await scene.checkBooks();
  });

  test('are used by one call at a time; a call that fails adds nothing and lets go', async () => {
    await using scene = await createScene(engine, { settings: { RetryTimes: '0' } });
    const client = clientOf(scene);
    const { id } = await client.conversations.create();
    scene.upstream.queue({ holdAfter: 1 });
    const running = ask(scene, { input: 'slow', conversation: id, stream: true });
    const request = await scene.upstream.request(0);
    expect(await failureOf(ask(scene, { conversation: id }))).toMatchObject({ status: 409, code: 'conversation_locked' });
    const items = [{ role: 'user' as const, content: 'x' }];
    expect(await failureOf(client.conversations.items.create(id, { items }))).toMatchObject({ status: 409 });
    request.release();
    for await (const _event of (await running) as unknown as AsyncIterable<unknown>);
    scene.upstream.queue({ status: 500 });
    expect(await failureOf(ask(scene, { conversation: id }))).toMatchObject({ status: 500 });
    const body = { model: chatModel, input: 'again', conversation: id };
    await until(async () => ((await scene.post('/v1/responses', body)).status === 200 ? true : null));
    expect(textsOf((await client.conversations.items.list(id, { order: 'asc' })).data)[0]).toBe('slow');
    expect((await client.conversations.items.list(id)).data).toHaveLength(4);
  });

  test('are let go where the call cannot be made of what it says', async () => {
    await using scene = await createScene(engine);
    const { id } = await clientOf(scene).conversations.create();
    const foreign = { type: 'compaction' as const, encrypted_content: 'tidegate-seal:tidegate:AAAA' };
    expect(await failureOf(ask(scene, { conversation: id, input: [foreign] }))).toMatchObject({ status: 400 });
    expect(await scene.app.context.db.collection('conversations').get(id)).not.toHaveProperty('locked_by');
    expect(await ask(scene, { conversation: id })).toMatchObject({ conversation: { id } });
  });

  test("are nobody else's, and what a broken addition has left is not in them", async () => {
    await using scene = await createScene(engine);
    const { conversations } = clientOf(scene);
    const { id } = await conversations.create({ items: [{ role: 'user', content: 'mine' }] });
    const stranger = await scene.app.createUser({ quota: 5_000_000 });
    const { key } = await createToken(scene.app.context, stranger.id);
    const foreign = clientOf(scene, key);
    expect(await failureOf(foreign.conversations.retrieve(id))).toMatchObject({ status: 404 });
    expect(await failureOf(foreign.conversations.delete(id))).toMatchObject({ status: 404 });
    expect(await failureOf(foreign.conversations.items.list(id))).toMatchObject({ status: 404 });
    expect(await failureOf(foreign.responses.create({ model: chatModel, input: 'Hi', conversation: id }))).toMatchObject({ status: 404 });
    const { db } = scene.app.context;
    const [row] = await db.collection('conversation_items').find({ conversation_id: id });
    if (row === undefined) throw new Error('Nothing was kept');
    expect(JSON.stringify(row)).not.toContain('mine');
    await db.collection('conversation_items').insert({ ...row, id: `${id}:msg_half`, position: 1 });
    expect((await conversations.items.list(id)).data).toHaveLength(1);
    await conversations.items.create(id, { items: [{ role: 'user', content: 'next' }] });
    expect(textsOf((await conversations.items.list(id, { order: 'asc' })).data)).toEqual(['mine', 'next']);
  });
});
