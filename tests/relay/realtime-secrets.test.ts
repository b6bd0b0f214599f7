// Keys for browsers: what they are bound to, and what they cannot do.
import { describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { startFakeRealtime } from '#tests/support/fake-realtime.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { connectSocket, type Json, RefusedSocket } from '#tests/support/socket-client.ts';
import { until } from '#tests/support/until.ts';

const model = 'gpt-realtime';
const settings = { ModelRatio: JSON.stringify({ [model]: 2 }), RetryTimes: '0' };
const path = '/v1/realtime/client_secrets';
const session = { type: 'realtime', model, instructions: 'Speak of tides.' };

describe.each(engines)('keys for browsers on $kind', (engine) => {
  test('open a session that is set as they say, and nothing else; who lost the key behind them has lost them too', async () => {
    await using upstream = await startFakeRealtime();
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url, models: model }], settings });
    const { app } = scene;
    const given = await scene.post(path, { session, expires_after: { anchor: 'created_at', seconds: 60 } });
    expect(given.status).toBe(200);
    const secret = (await given.json()) as Json;
    expect(secret).toEqual({
      value: expect.stringMatching(/^ek_[\w-]+$/),
      expires_at: expect.closeTo(app.clock.now() / 1000 + 60, -1),
      session: { object: 'realtime.session', ...session },
    });
    expect(secret['value']).not.toContain(scene.key.slice(3));
    const protocols = ['realtime', `openai-insecure-api-key.${secret['value']}`];
    const open = (query = `?model=${model}`) => connectSocket(`${app.origin}/v1/realtime${query}`, { protocols });
    using client = await open();
    client.send({
      type: 'conversation.item.create',
      item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
    });
    expect(await client.next()).toMatchObject({ type: 'session.created', session: { instructions: 'Speak of tides.' } });
    const peer = await upstream.peer(0);
    await until(() => peer.received.length === 2);
    expect(peer.received.map(({ type }) => type)).toEqual(['session.update', 'conversation.item.create']);
    expect(peer.request.headers.authorization).toBe('Bearer sk-test');
    using other = await open('');
    await other.next();

    const chat = await scene.chat({ model }, { authorization: `Bearer ${secret['value']}` });
    expect(chat.status).toBe(401);
    const again = await scene.post(path, { session }, { authorization: `Bearer ${secret['value']}` });
    expect(again.status).toBe(401);
    const elsewhere = await failureOf(open('?model=gpt-realtime-mini'));
    expect(elsewhere).toMatchObject({ status: 403, body: { error: { code: 'model_denied' } } });

    await app.context.db.collection('tokens').patch({ id: scene.token.id }, { set: { status: 2 } });
    await app.context.changes.announce('token', scene.token.id);
    expect(await client.closed).toMatchObject({ code: 1008, reason: 'key_disabled' });
    expect(await failureOf(open())).toMatchObject({ status: 401 });
    await scene.checkBooks();
  });

  test('are given for no model that nobody serves in sessions, whoever has trained it', async () => {
    const named = `ft:${model}::theirs`;
    const prices = { ModelRatio: JSON.stringify({ [model]: 2, [named]: 2, chatty: 2, other: 2 }) };
    const channels = [{ models: model }, { models: 'chatty', type: 14 }];
    await using scene = await createScene(engine, { channels, settings: { ...settings, ...prices, FineTuningPrice: prices.ModelRatio } });
    const { db } = scene.app.context;
    const theirs = {
      id: named,
      user_id: scene.user.id + 1,
      job_id: 'ftjob-1',
      channel_id: scene.channelIds[0] ?? 0,
      key: 'k',
      base: model,
    };
    await db.collection('tuned_models').insert({ ...theirs, upstream_model: 'ft:x', checkpoints: [], created_at: 1, state: 'ready' });
    for (const [name, status, code] of [
      [named, 404, 'model_not_found'],
      ['other', 404, 'model_not_found'],
      ['chatty', 501, 'format_unsupported'],
    ] as const)
      for (const [at, body] of [
        [path, { session: { ...session, model: name } }],
        ['/v1/realtime/sessions', { model: name }],
      ] as const) {
        const refused = await scene.post(at, body);
        expect([refused.status, ((await refused.json()) as Json)['error'].code]).toEqual([status, code]);
      }
  });

  test('expire', async () => {
    await using upstream = await startFakeRealtime();
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url, models: model }], settings });
    const { value } = (await (await scene.post(path, { session, expires_after: { seconds: 10 } })).json()) as Json;
    scene.app.clock.advance(11_000);
    const failure = await failureOf(connectSocket(`${scene.app.origin}/v1/realtime`, { headers: { authorization: `Bearer ${value}` } }));
    if (!(failure instanceof RefusedSocket)) throw failure;
    expect(failure).toMatchObject({ status: 401, body: { error: { code: 'key_expired' } } });
    expect(upstream.peers).toHaveLength(0);
  });

  test('in the form that they had before; what is wrong is told by its field', async () => {
    await using scene = await createScene(engine, { channels: [{ models: model }], settings });
    const old = (await (await scene.post('/v1/realtime/sessions', { model, voice: 'alloy' })).json()) as Json;
    expect(old).toMatchObject({
      model,
      voice: 'alloy',
      client_secret: { value: expect.stringMatching(/^ek_/), expires_at: expect.any(Number) },
    });
    const fieldOf = async (body: unknown) => ((await (await scene.post(path, body)).json()) as Json)['error'].param;
    expect(await fieldOf({})).toBe('session');
    expect(await fieldOf({ session: { type: 'translation' } })).toBe('session.type');
    expect(await fieldOf({ session: { type: 'realtime' } })).toBe('session.model');
    expect(await fieldOf({ session, expires_after: { seconds: 9 } })).toBe('expires_after.seconds');
    expect(await fieldOf({ session: { ...session, instructions: 'x'.repeat(7_000) } })).toBe('session');
    const refused = await scene.post(path, { session }, { authorization: 'Bearer sk-none' });
    expect(refused.status).toBe(401);
  });
});
