// Responses that run without their callers: polled, followed, cancelled, charged as usual; and left over by a process that died.
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { failOrphans } from '#server/slices/responses/background.ts';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { createScene, type RelayScene, type SceneOptions, until } from '#tests/support/relay-scene.ts';

const model = 'claude-sonnet-4-5';
const upstreams = [
  { format: 'chat', channel: { type: 1 } },
  { format: 'Claude', channel: { type: 14 } },
  { format: 'Gemini', channel: { type: 24, model_mapping: JSON.stringify({ [model]: 'gemini-3-flash-preview' }) } },
  { format: 'Responses', channel: { type: 1, setting: '{"formats":["openai-responses"]}' } },
];
const cases = engines.flatMap((engine) => upstreams.map((upstream) => ({ engine, kind: engine.kind, ...upstream })));

type Event = OpenAI.Responses.ResponseStreamEvent;

function clientOf(scene: RelayScene): OpenAI {
  return new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0 });
}

async function eventsOf(stream: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe.each(cases)('background responses on $kind, before $format', ({ engine, channel }) => {
  const open = (options: SceneOptions = {}) =>
    createScene(engine, {
      channels: [{ models: model, ...channel }],
      ...options,
      settings: { SelfUseModeEnabled: 'true', ...options.settings },
    });
  const ended = (scene: RelayScene, id: string) =>
    until(async () => {
      const response = await clientOf(scene).responses.retrieve(id);
      return response.status === 'queued' || response.status === 'in_progress' ? null : response;
    });

  test('go on when their caller has its first answer, and are charged once', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'Noon in Brest.' });
    const { responses } = clientOf(scene);
    const begun = await responses.create({ model, input: 'Tide?', background: true });
    expect(begun).toMatchObject({ status: 'queued', background: true, store: true, output: [], id: expect.stringMatching(/^resp_/) });
    const response = await ended(scene, begun.id);
    expect(response).toMatchObject({ id: begun.id, status: 'completed', background: true, output_text: 'Noon in Brest.' });
    const [row] = await scene.logs(1);
    expect(row?.completion_tokens).toBe(response.usage?.output_tokens);
    expect(await scene.app.context.db.collection('responses').count({ place: { exists: true } })).toBe(0);
    await responses.create({ model, input: 'And tomorrow?', previous_response_id: begun.id });
    expect(JSON.stringify(scene.upstream.requests.at(-1)?.body)).toContain('Noon in Brest.');
    await scene.checkBooks();
  });

  test('are followed from where a reader was, before and after their end', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'one two three four five', holdAfter: 3 });
    const { responses } = clientOf(scene);
    const stream = await responses.create({ model, input: 'Count', background: true, stream: true });
    const seen: Event[] = [];
    for await (const event of stream) {
      seen.push(event);
      if (seen.length === 3) break;
    }
    const [first] = seen;
    const id = first !== undefined && 'response' in first ? first.response.id : '';
    // The record is written in parallel with the stream.
    const status = async () => (await responses.retrieve(id, { include: ['message.output_text.logprobs'] })).status;
    await until(async () => ((await status()) === 'in_progress' ? true : null));
    const reader = await responses.retrieve(id, { stream: true, starting_after: 2, include: ['reasoning.encrypted_content'] });
    (await scene.upstream.request(0)).release();
    const rest = await eventsOf(reader);
    expect(rest[0]?.sequence_number).toBe(3);
    expect(rest.at(-1)).toMatchObject({ type: 'response.completed', response: { id, background: true } });
    const all = await eventsOf(await responses.retrieve(id, { stream: true }));
    expect(all).toEqual([...seen, ...rest]);
    await scene.logs(1);
    await scene.checkBooks();
  });

  test('are called off: the upstream is hung up on, and what came is paid', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'one two three four five', holdAfter: 3 });
    const { responses } = clientOf(scene);
    const { id } = await responses.create({ model, input: 'Count', background: true });
    const request = await scene.upstream.request(0);
    await until(() => (request.eventsSent >= 3 ? true : null));
    expect(await responses.cancel(id)).toMatchObject({ id, status: 'cancelled' });
    expect(await request.closed).toBe('aborted');
    expect(await responses.cancel(id)).toMatchObject({ status: 'cancelled' });
    const [row] = await scene.logs(1);
    expect(row?.quota).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  test('tell how they have failed', async () => {
    await using scene = await open({ settings: { RetryTimes: '0' } });
    scene.upstream.behave({ status: 500 });
    const { responses } = clientOf(scene);
    const { id } = await responses.create({ model, input: 'Tide?', background: true });
    expect(await ended(scene, id)).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
    const events = await eventsOf(await responses.retrieve(id, { stream: true }));
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } });
    await scene.checkBooks();
  });
});

describe.each(engines)('bounds of background responses on $kind', (engine) => {
  const ask = (scene: RelayScene, fields: object = {}) =>
    clientOf(scene).responses.create({ model: 'gpt-4o-mini', input: 'Hi', background: true, ...fields });

  test('so many of a user at once, none of whom waits for them', async () => {
    await using scene = await createScene(engine, { settings: { BackgroundResponsesPerUser: '2' } });
    scene.upstream.behave({ holdAfter: 1 });
    const begun = [await ask(scene), await ask(scene)];
    expect(await failureOf(ask(scene))).toMatchObject({ status: 429, code: 'too_many_background' });
    expect(await failureOf(ask(scene, { previous_response_id: begun[0]?.id }))).toMatchObject({ code: 'previous_response_running' });
    for (const { id } of begun) await clientOf(scene).responses.delete(id);
    expect(await failureOf(clientOf(scene).responses.retrieve(begun[0]?.id ?? ''))).toMatchObject({ status: 404 });
    await ask(scene);
    await scene.checkBooks();
  });

  test('calling one off, or asking for it, many times waits and asks for it once, and is bounded', async () => {
    // Twenty calls: a user has five times the limit of an address, and reads stored responses four times as often.
    await using scene = await createScene(engine, { env: { GLOBAL_API_RATE_LIMIT_ENABLE: 'true', GLOBAL_API_RATE_LIMIT: '1' } });
    scene.upstream.behave({ holdAfter: 1 });
    const { id } = await ask(scene);
    await scene.upstream.request(0);
    const { db } = scene.app.context;
    const before = await db.collection('changes').count({ kind: 'cancelled_response' });
    const cancelling = Array.from({ length: 9 }, () => clientOf(scene).responses.cancel(id));
    expect((await Promise.all(cancelling)).map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 'cancelled'));
    expect(await db.collection('changes').count({ kind: 'cancelled_response' })).toBeLessThanOrEqual(before + 1);
    for (let call = 10; call <= 20; call += 1) expect(await clientOf(scene).responses.retrieve(id)).toMatchObject({ status: 'cancelled' });
    const calls = [
      () => clientOf(scene).responses.retrieve(id),
      () => clientOf(scene).responses.cancel(id),
      () => clientOf(scene).responses.inputItems.list(id),
      () => clientOf(scene).responses.delete(id),
      () => clientOf(scene).conversations.create(),
    ];
    for (const call of calls) {
      const refused = await failureOf(call());
      expect(refused).toMatchObject({ status: 429, code: 'rate_limited' });
      expect(Number(refused instanceof OpenAI.APIError ? refused.headers?.get('retry-after') : 0)).toBeGreaterThan(0);
    }
    // Other calls work as usual, and no other user is limited by it.
    expect(await clientOf(scene).responses.create({ model: 'gpt-4o-mini', input: 'Hi', store: false, stream: true })).toBeDefined();
    const stranger = await scene.app.createUser({ quota: 5_000_000 });
    const { key } = await createToken(scene.app.context, stranger.id);
    expect(
      await failureOf(new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: key, maxRetries: 0 }).responses.retrieve(id)),
    ).toMatchObject({ status: 404 });
    scene.app.clock.advance(180_000);
    expect(await clientOf(scene).responses.retrieve(id)).toMatchObject({ status: 'cancelled' });
  });

  test('one whose process is gone has failed, once, and costs nothing', async () => {
    await using scene = await createScene(engine);
    const { db } = scene.app.context;
    const { id } = await ask(scene);
    await until(async () => ((await clientOf(scene).responses.retrieve(id)).status === 'completed' ? true : null));
    const [stored] = await db.collection('responses').find({ id });
    if (stored === undefined) throw new Error('Nothing was kept');
    await db.collection('responses').insert({ ...stored, id: 'resp_orphan', status: 'in_progress', place: 'x', alive_until: 1 });
    await failOrphans(scene.app.context);
    await failOrphans(scene.app.context);
    expect(await clientOf(scene).responses.retrieve('resp_orphan')).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
    const events = await eventsOf(await clientOf(scene).responses.retrieve('resp_orphan', { stream: true }));
    expect(events).toMatchObject([{ type: 'response.failed' }]);
    await scene.checkBooks();
  });

  test('a server that ends says so, and a conversation is free again', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ holdAfter: 1 });
    const { id: conversation } = await clientOf(scene).conversations.create();
    const { id } = await ask(scene, { conversation });
    await scene.upstream.request(0);
    const { db } = scene.app.context;
    expect(await db.collection('conversations').first({ locked_by: { exists: true } })).not.toBeNull();
    scene.app.app.drain();
    const record = await until(() => db.collection('responses').first({ id, status: 'failed' }));
    expect(record.place).toBeUndefined();
    await until(async () => ((await db.collection('conversations').first({ locked_by: { exists: true } })) === null ? true : null));
    await scene.checkBooks();
  });
});
