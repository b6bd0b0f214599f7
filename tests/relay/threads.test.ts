// Claude's threads: conversations that are stored here between turns, with models of every vendor, by Anthropic's package.
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';

const model = 'claude-sonnet-5';
const upstreams = [
  { format: 'chat', channel: { type: 1 } },
  { format: 'Claude', channel: { type: 14 } },
  { format: 'Gemini', channel: { type: 24, model_mapping: JSON.stringify({ [model]: 'gemini-3-flash-preview' }) } },
  { format: 'Responses', channel: { type: 1, setting: '{"formats":["openai-responses"]}' } },
];
const cases = engines.flatMap((engine) => upstreams.map((upstream) => ({ engine, kind: engine.kind, ...upstream })));

const clientOf = ({ app, key }: RelayScene, apiKey = key) =>
  new Anthropic({ baseURL: app.origin, apiKey, maxRetries: 0, defaultHeaders: { 'accept-language': 'en' } });
const open = (engine: (typeof engines)[number], channel: object, options: SceneOptions = {}) =>
  createScene(engine, {
    channels: [{ models: model, ...channel }],
    ...options,
    settings: { SelfUseModeEnabled: 'true', ...options.settings },
  });
const requested = (scene: RelayScene) => scene.upstream.requests.map(({ text }) => text);

const tool = { name: 'get_tide', description: 'High water', input_schema: { type: 'object' as const } };
const fields = { model, max_tokens: 50, system: 'Speak like a PILOT.', tools: [tool] };
const first = { role: 'user' as const, content: 'When is the FIRST tide?' };
const next = { role: 'user' as const, content: 'And LATER?' };
const raw = (scene: RelayScene, body: object) =>
  scene.post('/v1/messages', { model, max_tokens: 50, ...body }, { 'accept-language': 'en' });

/** Tokens of a prompt, or why it is not counted. */
function counter({ app, key: own }: RelayScene) {
  const ask = (body: object, key: string) =>
    fetch(`${app.origin}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ model, ...body, max_tokens: undefined }),
    });
  return {
    async count(body: object): Promise<number> {
      const response = await ask(body, own);
      expect(response.status).toBe(200);
      const reported: unknown = await response.json();
      expect(reported).toEqual({ input_tokens: expect.any(Number) });
      return (reported as { input_tokens: number }).input_tokens;
    },
    async refusal(body: object, key = own): Promise<[number, unknown]> {
      const response = await ask(body, key);
      return [response.status, await response.json()];
    },
  };
}

describe.each(cases)('threads on $kind, before $format', ({ engine, channel }) => {
  test.each([false, true])('each turn sends what is new, and the model hears all of it (stream: %s)', async (stream) => {
    await using scene = await open(engine, channel);
    scene.upstream.queue({ text: 'At NOON.' }, { text: 'At SIX.' }, { text: 'Then no more.' });
    const thread = clientOf(scene).beta.messages.thread(fields);
    const sent: unknown[] = [];
    const say = async (message: typeof first) => {
      const reply = stream ? await thread.stream(message).finalMessage() : await thread.send(message);
      expect(thread.previousMessageId).toBe(reply.id);
      expect(reply.id).toMatch(/^msg_[0-9a-f]{48}$/);
      sent.push(reply.content);
    };
    await say(first);
    await say(next);
    await say({ role: 'user', content: 'And THEN?' });
    expect(sent).toMatchObject([[{ text: 'At NOON.' }], [{ text: 'At SIX.' }], [{ text: 'Then no more.' }]]);
    const [, , last = ''] = requested(scene);
    for (const word of ['PILOT', 'get_tide', 'FIRST', 'NOON', 'LATER', 'SIX', 'THEN']) expect(last).toContain(word);
    expect(last).not.toMatch(/"thread"|thread_fields|previous_message_id/);
    expect(await scene.logs(3)).toHaveLength(3);
    await scene.checkBooks();
  });

  test('a count is of all that the next turn would send', async () => {
    await using scene = await open(engine, channel);
    scene.upstream.queue({ text: 'At NOON.' });
    const { id } = await clientOf(scene)
      .beta.messages.thread(fields)
      .send({ role: 'user', content: `FIRST? ${'About tides. '.repeat(200)}` });
    const thread = { type: 'continue', previous_message_id: id };
    const { count } = counter(scene);
    const counts = [await count({ messages: [next], thread }), await count({ messages: [], thread }), await count({ messages: [next] })];
    const [whole = 0, before = 0, alone = 0] = counts;
    const [ofWhole, ofBefore] = requested(scene).slice(1);
    if (ofWhole === undefined) {
      // No other provider counts here.
      expect([before - alone, whole - before].map((more) => more > 0)).toEqual([true, true]);
      expect(whole - alone).toBeGreaterThan(400);
    } else {
      for (const word of ['PILOT', 'get_tide', 'FIRST', 'NOON']) for (const body of [ofWhole, ofBefore]) expect(body).toContain(word);
      expect(ofWhole).toContain('LATER');
    }
    expect(await count({ ...fields, messages: [first], thread: { type: 'create' } })).toBe(await count({ ...fields, messages: [first] }));
    expect(requested(scene).join('')).not.toMatch(/"thread"|thread_fields|previous_message_id/);
    // Nothing comes of it.
    expect(await scene.app.context.db.collection('responses').count({})).toBe(1);
    await scene.checkBooks();
  });

  test('a count refuses what the turn would be refused', async () => {
    await using scene = await open(engine, channel);
    const { id } = await clientOf(scene).beta.messages.thread(fields).send(first);
    const stranger = await scene.app.createUser({ quota: 5_000_000 });
    const { key } = await createToken(scene.app.context, stranger.id);
    const thread = { type: 'continue', previous_message_id: id };
    const notFound = { error: { type: 'not_found_error', details: { error_code: 'thread_not_found' } } };
    const { refusal } = counter(scene);
    expect(await refusal({ messages: [next], thread }, key)).toMatchObject([404, notFound]);
    expect(await refusal({ messages: [next], thread: { ...thread, previous_message_id: 'msg_other' } })).toMatchObject([404, notFound]);
    expect(await refusal({ messages: [next], thread: { type: 'continue' } })).toMatchObject([
      400,
      { error: { type: 'invalid_request_error' } },
    ]);
    expect(await refusal({ messages: [], thread: { type: 'create' } })).toMatchObject([400, { error: { type: 'invalid_request_error' } }]);
    expect(await refusal({ messages: [next], thread, system: 'Speak like a COOK.' })).toMatchObject([
      400,
      { error: { details: { error_code: 'thread_fingerprint_mismatch' } } },
    ]);
  });

  test('a runner of tools goes on within one', async () => {
    await using scene = await open(engine, channel);
    scene.upstream.behave({ toolCalls: [{ name: 'get_tide', arguments: '{"port":"BREST"}' }], text: 'At noon.' });
    const run = () => 'HIGH';
    const runner = clientOf(scene).beta.messages.toolRunner({
      model,
      max_tokens: 50,
      messages: [first],
      stream: true,
      tools: [{ ...tool, type: 'custom' as const, run, parse: (given: unknown) => given }],
    });
    for await (const turn of runner) await turn.done();
    const [, second = ''] = requested(scene);
    for (const word of ['FIRST', 'BREST', 'HIGH']) expect(second).toContain(word);
    expect(requested(scene)).toHaveLength(2);
    await scene.checkBooks();
  });
});

describe.each(engines)('threads on $kind', (engine) => {
  test('move from one vendor to another, and may be gone on from twice', async () => {
    await using scene = await open(engine, { type: 14 });
    await scene.addChannel({ models: 'gpt-5.5', type: 1 });
    scene.upstream.queue({ text: 'At NOON.' });
    const thread = clientOf(scene).beta.messages.thread(fields);
    const { id } = await thread.send(first);
    for (const name of ['gpt-5.5', model]) {
      const answer = await raw(scene, { model: name, messages: [next], thread: { type: 'continue', previous_message_id: id } });
      expect(answer.status).toBe(200);
      for (const word of ['PILOT', 'FIRST', 'NOON', 'LATER']) expect(requested(scene).at(-1)).toContain(word);
    }
  });

  test('of others are not there, nor what was deleted; the package sends all of it then, where it can', async () => {
    await using scene = await open(engine, { type: 1 });
    const thread = clientOf(scene).beta.messages.thread(fields);
    const { id } = await thread.send(first);
    const going = { messages: [next], thread: { type: 'continue' as const, previous_message_id: id } };
    const stranger = await scene.app.createUser({ quota: 5_000_000 });
    const { key } = await createToken(scene.app.context, stranger.id);
    const notFound = {
      status: 404,
      error: { error: { type: 'not_found_error', details: { error_code: 'thread_not_found' } } },
    };
    const create = (apiKey?: string) => clientOf(scene, apiKey).beta.messages.create({ model, max_tokens: 50, ...going });
    expect(await failureOf(create(key))).toMatchObject(notFound);
    const remove = (apiKey = scene.key) =>
      fetch(`${scene.app.origin}/v1/messages/${id}`, { method: 'DELETE', headers: { 'x-api-key': apiKey } });
    expect((await remove(key)).status).toBe(404);
    expect((await create()).type).toBe('message');
    const removed = await remove();
    expect([removed.status, await removed.json()]).toEqual([200, { id, type: 'message_deleted' }]);
    expect(await failureOf(create())).toMatchObject(notFound);
    expect((await remove()).status).toBe(404);
    const before = requested(scene).length;
    await thread.send(next);
    expect(requested(scene)).toHaveLength(before + 1);
    for (const word of ['FIRST', 'LATER']) expect(requested(scene).at(-1)).toContain(word);
    await scene.checkBooks();
  });

  test('are not held where nothing is kept, and the package goes on without', async () => {
    await using scene = await open(engine, { type: 1 }, { settings: { ResponseStoreEnabled: 'false' } });
    const refused = await raw(scene, { messages: [first], thread: { type: 'create' } });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] } } },
    ]);
    expect(await counter(scene).refusal({ messages: [first], thread: { type: 'create' } })).toMatchObject([
      400,
      { error: { details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] } } },
    ]);
    const thread = clientOf(scene).beta.messages.thread({ ...fields, unsupportedRequestBehavior: 'continue_unthreaded' });
    await thread.send(first);
    await thread.send(next);
    for (const word of ['FIRST', 'LATER']) expect(requested(scene)[1]).toContain(word);
  });

  test('keep the system and the tools that they were created with, and say which other is in the way', async () => {
    await using scene = await open(engine, { type: 1 });
    const { id } = await clientOf(scene).beta.messages.thread(fields).send(first);
    const thread = { type: 'continue', previous_message_id: id };
    const other = await raw(scene, { messages: [next], thread, system: 'Speak like a COOK.' });
    expect([other.status, await other.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('system'), details: { error_code: 'thread_fingerprint_mismatch' } } },
    ]);
    expect((await raw(scene, { messages: [next], thread, system: fields.system })).status).toBe(200);
  });

  test('a turn that is to go on needs no words, and one that says nothing of a thread does', async () => {
    await using scene = await open(engine, { type: 1 });
    const { id } = await clientOf(scene).beta.messages.thread(fields).send(first);
    expect((await raw(scene, { messages: [], thread: { type: 'continue', previous_message_id: id } })).status).toBe(200);
    expect((await raw(scene, { messages: [], thread: { type: 'create' } })).status).toBe(400);
    expect((await raw(scene, { messages: [first], thread: { type: 'continue' } })).status).toBe(400);
    expect((await raw(scene, { messages: [first], thread: { type: 'other' } })).status).toBe(400);
  });

  test('a stream that was cut is no turn of them', async () => {
    await using scene = await open(engine, { type: 1 });
    const thread = clientOf(scene).beta.messages.thread(fields);
    const { id } = await thread.send(first);
    scene.upstream.queue({ text: 'one two three four', cutAfter: 2 });
    await failureOf(thread.stream(next).finalMessage());
    expect(await scene.app.context.db.collection('responses').count({})).toBe(1);
    expect((await raw(scene, { messages: [next], thread: { type: 'continue', previous_message_id: id } })).status).toBe(200);
    await scene.checkBooks();
  });

  test('are shortened on the way, and go on from the summary', async () => {
    await using scene = await open(engine, { type: 1 });
    scene.upstream.queue({ text: 'At NOON.' }, { text: 'The SUMMARY.' }, { text: 'At SIX.' });
    const context_management = { edits: [{ type: 'compact_20260112' as const, trigger: { type: 'input_tokens' as const, value: 500 } }] };
    const thread = clientOf(scene).beta.messages.thread({ ...fields, tools: [], context_management });
    await thread.send({ role: 'user', content: `The OLDEST question. ${'About tides and more. '.repeat(120)}` });
    const reply = await thread.send(next);
    expect(reply.content.map(({ type }) => type)).toEqual(['compaction', 'text']);
    await thread.send({ role: 'user', content: 'And THEN?' });
    const last = requested(scene).at(-1);
    for (const word of ['SUMMARY', 'SIX', 'THEN', 'PILOT']) expect(last).toContain(word);
    expect(last).not.toContain('OLDEST');
    await scene.checkBooks();
  });
});
