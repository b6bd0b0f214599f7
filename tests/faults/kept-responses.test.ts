// Failures while responses are stored: a write that fails, processes that die with unfinished ones.
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { failOrphans } from '#server/slices/responses/background.ts';
import { eventRows } from '#server/slices/responses/event-log.ts';
import { trimResponses } from '#server/slices/responses/holdings.ts';
import { engines } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { createScene, type RelayScene, type SceneOptions, setOption, until } from '#tests/support/relay-scene.ts';
import { connectSocket } from '#tests/support/socket-client.ts';
import { refusingInserts } from '#tests/support/watched-database.ts';

const model = 'gpt-4o-mini';

function clientOf(scene: RelayScene): OpenAI {
  return new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0 });
}

describe.each(engines)('a response that is paid for and cannot be kept, on $kind', (engine) => {
  const open = async (options: SceneOptions = {}) => {
    const scene = await createScene(engine, options);
    scene.upstream.behave({ text: 'Noon in Brest.' });
    const { context } = scene.app;
    Object.assign(context, { db: refusingInserts(context.db, 'responses') });
    return scene;
  };

  test.each([false, true])('is told all the same, as not kept (stream: %s)', async (stream) => {
    await using scene = await open();
    const client = clientOf(scene);
    const { id: conversation } = await client.conversations.create();
    for (const more of [{}, { conversation }]) {
      const body = { model, input: 'Tide?', ...more };
      const reported = stream ? await client.responses.stream(body).finalResponse() : await client.responses.create(body);
      expect(reported).toMatchObject({ status: 'completed', output_text: 'Noon in Brest.', store: false, conversation: null });
      expect(await failureOf(client.responses.retrieve(reported.id))).toMatchObject({ status: 404 });
    }
    expect((await client.conversations.items.list(conversation)).data).toEqual([]);
    const rows = await scene.logs(2);
    expect(rows.map((row) => row.quota > 0)).toEqual([true, true]);
    await until(async () => (await scene.app.context.db.collection('conversations').get(conversation))?.locked_by === undefined || null);
    expect(scene.app.context.bodies.bytes).toBe(0);
    await scene.checkBooks();
  });

  test('is remembered by the connection that it was asked on', async () => {
    await using scene = await open();
    using client = await connectSocket(`${scene.app.origin}/v1/responses`, { headers: { authorization: `Bearer ${scene.key}` } });
    client.send({ type: 'response.create', model, input: 'Tide?' });
    const { response: first } = (await client.response()).at(-1) ?? {};
    expect(first).toMatchObject({ status: 'completed', store: false });
    client.send({ type: 'response.create', model, input: 'And then?', previous_response_id: first['id'] });
    expect((await client.response()).at(-1)).toMatchObject({ type: 'response.completed' });
    expect(JSON.stringify(scene.upstream.requests.at(-1)?.body)).toMatch(/Tide.*Noon in Brest.*And then/);
    await scene.checkBooks();
  });
});

describe.each(engines)('background responses of processes that die, on $kind', (engine) => {
  /** More than one record takes, when it is sealed; and more than what events are gathered for. */
  const long = 'tide '.repeat(620_000);
  const orders = 'Be brief. '.repeat(40_000);
  const begin = (scene: RelayScene, fields: object = {}) =>
    clientOf(scene).responses.create({ model, input: long, instructions: orders, background: true, ...fields });
  const textOf = async (scene: RelayScene, id: string) => {
    const [item] = (await clientOf(scene).responses.inputItems.list(id)).data;
    const [part] = item?.type === 'message' ? item.content : [];
    return part !== undefined && 'text' in part ? part.text : '';
  };

  test('as many at once as there are places begin, however long they are, and are there when they end', async () => {
    const settings = { BackgroundResponsesPerUser: '2' };
    await using scene = await createScene(engine, { settings });
    scene.upstream.behave({ text: 'Noon in Brest.' });
    const begun = await Promise.all([1, 2].map(() => begin(scene)));
    const records = scene.app.context.db.collection('responses');
    await until(async () => (await records.count({ status: 'completed' })) === begun.length || null);
    for (const { id } of begun) {
      expect(await clientOf(scene).responses.retrieve(id)).toMatchObject({ output_text: 'Noon in Brest.', instructions: orders });
      expect(await textOf(scene, id)).toBe(long);
    }
    // Nothing of what was sealed first is left.
    const { db } = scene.app.context;
    const pieces = (await records.find({})).reduce((sum, record) => sum + (record.items_pieces ?? 0) + (record.response_pieces ?? 0), 0);
    expect(await db.collection('response_pieces').count({ kind: { in: ['items', 'response'] } })).toBe(pieces);
    await scene.checkBooks();
  });

  test('have failed once, whoever finds them, and keep their input', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ text: 'Noon in Brest.', holdAfter: 1 });
    const { id } = await begin(scene);
    const request = await scene.upstream.request(0);
    const { context } = scene.app;
    const responses = context.db.collection('responses');
    await until(async () => (await responses.get(id))?.status === 'in_progress' || null);
    await responses.patch({ id }, { set: { alive_until: 1 } });
    await Promise.all([failOrphans(context), failOrphans(context), failOrphans(context)]);
    const failed = await clientOf(scene).responses.retrieve(id);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'server_error' }, instructions: orders, output: [] });
    expect(await textOf(scene, id)).toBe(long);
    // It was not dead after all: what it says comes too late.
    request.release();
    await scene.logs(1);
    await until(() => context.bodies.bytes === 0 || null);
    expect(await clientOf(scene).responses.retrieve(id)).toEqual(failed);
    const events = await context.db.collection('response_pieces').find({ response_id: id, is_last: true });
    expect(events).toHaveLength(1);
    await scene.checkBooks();
  });

  test('are ended by the next one where who would have ended them dies as well', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ text: 'Noon in Brest.', holdAfter: 1 });
    const { id } = await begin(scene, { input: 'Tide?', instructions: null });
    const { context } = scene.app;
    const responses = context.db.collection('responses');
    await until(async () => (await responses.get(id))?.status === 'in_progress' || null);
    await responses.patch({ id }, { set: { alive_until: 1 } });
    const { db } = context;
    Object.assign(context, { db: refusingInserts(db, 'response_pieces') });
    await failOrphans(context);
    Object.assign(context, { db });
    // Neither half: what a reader of its events waits for is there when the record says that it has failed.
    expect(await responses.get(id)).toMatchObject({ status: 'in_progress', place: expect.any(String) });
    await failOrphans(context);
    expect(await responses.get(id)).toMatchObject({ status: 'in_progress' });
    scene.app.clock.advance(31_000);
    await failOrphans(context);
    expect(await clientOf(scene).responses.retrieve(id)).toMatchObject({ status: 'failed' });
    expect(await context.db.collection('response_pieces').count({ response_id: id, is_last: true })).toBe(1);
  });

  test.each([
    ['an end that its record does not have', ['all of it']],
    ['the half of an end', ['the first half', 'the second half, which was not written']],
  ])('end once where their process had written %s', async (_, contents) => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ text: 'Noon in Brest.', holdAfter: 1 });
    const { id } = await begin(scene, { input: 'Tide?', instructions: null });
    const { context } = scene.app;
    const responses = context.db.collection('responses');
    const { expires_at: expiresAt } = await until(async () => {
      const record = await responses.get(id);
      return record?.status === 'in_progress' ? record : null;
    });
    const [first] = eventRows({ responseId: id, number: 50, expiresAt, isLast: true }, contents);
    if (first === undefined) throw new Error('No piece');
    await context.db.collection('response_pieces').insert(first);
    await responses.patch({ id }, { set: { alive_until: 1 } });
    await failOrphans(context);
    const reported: string[] = [];
    for await (const event of await clientOf(scene).responses.retrieve(id, { stream: true })) reported.push(event.type);
    expect(reported.filter((type) => /failed|completed/.test(type))).toEqual(['response.failed']);
    expect(await context.db.collection('response_pieces').find({ response_id: id, is_last: true })).toMatchObject([{ number: 51 }]);
  });

  test('a conversation that they had is removed like any other when there is too much, one that is used is not', async () => {
    await using scene = await createScene(engine, { settings: { ResponsesPerUser: '10' } });
    const { context } = scene.app;
    const { conversations } = clientOf(scene);
    const ids: string[] = [];
    for (let made = 0; made < 10; made += 1) {
      ids.push((await conversations.create()).id);
      scene.app.clock.advance(1_000);
    }
    const [dead = '', used = ''] = ids;
    const records = context.db.collection('conversations');
    await records.patch({ id: dead }, { set: { locked_by: 'a process that died', locked_until: 1 } });
    await records.patch({ id: used }, { set: { locked_by: 'a call', locked_until: context.now() + 60_000 } });
    await setOption(scene.app, 'ResponsesPerUser', '2');
    await trimResponses(context, scene.user.id);
    expect(await records.get(dead)).toBeNull();
    expect(await records.get(used)).not.toBeNull();
    expect(await records.count({})).toBe(1);
  });
});
