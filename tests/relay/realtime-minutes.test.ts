// Realtime sessions of models that are priced by the minute: what each minute is charged, and how a session ends.
import { describe, expect, test } from 'vitest';
import type { LogRecord } from '#server/db/records/log.ts';
import { createClock, type TestClock } from '#tests/support/clock.ts';
import { type Engine, engines } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import {
  type OpenedSession,
  openRealtime,
  realtimeModel as model,
  seconds,
  type SessionConnecting,
  upTo,
} from '#tests/support/realtime-scene.ts';
import type { SceneOptions } from '#tests/support/relay-scene.ts';
import { connectSocket, RefusedSocket } from '#tests/support/socket-client.ts';
import { until } from '#tests/support/until.ts';

/** $0.06 a minute: 500 quota a second. */
const perMinute = 30_000;
const settings = { ModelPrice: JSON.stringify({ [model]: 0.06 }) };

/** The clock stands still, unless a test moves it. */
async function open(engine: Engine, options: SceneOptions = {}, connecting: SessionConnecting = {}): Promise<OpenedSession> {
  return openRealtime(engine, { ...options, clock: frozen(), settings: { ...settings, ...options.settings } }, connecting);
}

function frozen(): TestClock {
  const clock = createClock();
  clock.freeze();
  return clock;
}

/** Until the session has reserved its next minute, or has begun it. */
async function minutesStored({ scene }: OpenedSession, count: number): Promise<void> {
  await until(async () => (await scene.app.context.db.collection('session_minutes').count({}, 10)) === count);
}

const secondsIn = (row: LogRecord) => row.use_time;

describe.each(engines)('realtime sessions by the minute on $kind', (engine) => {
  test('each minute is charged with a row, the last one by its seconds, and turns cost nothing', async () => {
    await using opened = await open(engine);
    const { client, scene } = opened;
    const { clock } = scene.app;
    for (const turn of [1, 2]) {
      client.send({ type: 'response.create', event_id: `turn_${turn}` });
      await upTo(client, 'response.done');
    }
    clock.advance(55_000);
    await minutesStored(opened, 2);
    clock.advance(5_000);
    const [first] = await scene.logs(1);
    expect(first).toMatchObject({
      model_name: model,
      quota: perMinute,
      use_time: 60,
      other: { model_price: 0.06, units: { kind: 'minute', count: 1_000, factor: 0.001, from: 0 } },
    });
    clock.advance(29_500);
    client[Symbol.dispose]();
    const rows = await scene.logs(2);
    expect(rows).toHaveLength(2);
    expect(rows[1]).toMatchObject({ quota: perMinute / 2, use_time: 30, other: { units: { count: 500, from: 60 } } });
    // The client has closed it when it was done.
    expect(rows[1]?.failed).toBeUndefined();
    await until(async () => (await scene.balance()) === 500_000_000 - perMinute * 1.5);
    await minutesStored(opened, 0);
    await scene.checkBooks();
  });

  test('the ratio of the group counts, and a session is counted once in the rate limit', async () => {
    const limits = { ModelRequestRateLimitEnabled: 'true', ModelRequestRateLimitCount: '1', ModelRequestRateLimitDurationMinutes: '60' };
    await using opened = await open(engine, { settings: { GroupRatio: JSON.stringify({ default: 2 }), ...limits } });
    const { client, scene } = opened;
    for (let minute = 1; minute <= 2; minute += 1) {
      scene.app.clock.advance(60_000);
      await scene.logs(minute);
    }
    const refused = await failureOf(
      connectSocket(`${scene.app.origin}/v1/realtime?model=${model}`, { headers: { authorization: `Bearer ${scene.key}` } }),
    );
    expect(refused).toMatchObject({ status: 429 });
    client[Symbol.dispose]();
    expect((await scene.logs(2)).map(({ quota }) => quota)).toEqual([perMinute * 2, perMinute * 2]);
    await scene.checkBooks();
  });

  test.each([
    ['the account', { quota: perMinute * 1.5 }, 'insufficient_user_quota'],
    ['the key', { tokenQuota: perMinute * 1.5 }, 'pre_consume_token_quota_failed'],
  ])('%s pays for no further minute: what is there is used, and the session ends with an error', async (_who, options, code) => {
    await using opened = await open(engine, options);
    const { client, scene, peer } = opened;
    const { clock } = scene.app;
    clock.advance(60_000);
    await scene.logs(1);
    // Half a minute is left, and nothing for what follows.
    clock.advance(25_000);
    await new Promise((resolve) => setTimeout(resolve, 700));
    client.send({ type: 'input_audio_buffer.clear' });
    await upTo(client, 'input_audio_buffer.cleared');
    clock.advance(5_000);
    const error = await upTo(client, 'error');
    expect([code, 'key_exhausted']).toContain(error['error'].code);
    expect(await client.closed).toMatchObject({ code: 1008 });
    await peer.closed;
    const rows = await scene.logs(2);
    expect(rows.map(secondsIn)).toEqual([60, 30]);
    expect(rows.map(({ quota }) => quota)).toEqual([perMinute, perMinute / 2]);
    expect(rows[1]?.other?.ending).toBe('overdraft');
    await scene.checkBooks();
  });

  test('who cannot pay for ten seconds gets none, in an HTTP response', async () => {
    await using opened = await open(engine, { quota: 10 * 510 });
    const { scene, client } = opened;
    client[Symbol.dispose]();
    await until(async () => (await scene.balance()) === 10 * 510);
    await scene.app.context.ledger.change({ account: 'user', id: scene.user.id, ref: 'less', kind: 'edit', actorId: 0, amount: -200 });
    const refused = await failureOf(
      connectSocket(`${scene.app.origin}/v1/realtime?model=${model}`, { headers: { authorization: `Bearer ${scene.key}` } }),
    );
    if (!(refused instanceof RefusedSocket)) throw refused;
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'insufficient_user_quota' } } });
    expect(await scene.balance()).toBe(10 * 510 - 200);
    await scene.checkBooks();
  });

  test('a session that no provider has opened costs nothing', async () => {
    await using opened = await open(engine);
    const { client, scene, upstream } = opened;
    client[Symbol.dispose]();
    upstream.behave({ refuse: { status: 503, body: { error: { message: 'Busy', type: 'server_error', code: null } } } });
    const again = () =>
      connectSocket(`${scene.app.origin}/v1/realtime?model=${model}`, { headers: { authorization: `Bearer ${scene.key}` } });
    expect(await failureOf(again())).toMatchObject({ status: 503 });
    // Its handshake is completed, and it only says that it fails.
    upstream.behave({ isFailing: true });
    using failing = await again();
    expect(await failing.next()).toMatchObject({ type: 'error' });
    scene.app.clock.advance(30_000);
    await failing.closed;
    const rows = await scene.logs(1);
    expect(rows.map(({ quota }) => quota)).toEqual([0]);
    await until(async () => (await scene.balance()) === 500_000_000);
    await minutesStored(opened, 0);
    await scene.checkBooks();
  });

  test('sessions of one account are charged side by side, each with its own minutes', async () => {
    await using opened = await open(engine);
    const { client, peer, scene } = opened;
    using second = await connectSocket(`${scene.app.origin}/v1/realtime?model=${model}`, {
      headers: { authorization: `Bearer ${scene.key}` },
    });
    await second.next();
    scene.app.clock.advance(60_000);
    await scene.logs(2);
    await minutesStored(opened, 2);
    client[Symbol.dispose]();
    await peer.closed;
    scene.app.clock.advance(12_000);
    second[Symbol.dispose]();
    const rows = await scene.logs(3);
    const used = rows.map(secondsIn).toSorted((one, other) => other - one);
    expect(used).toEqual([60, 60, 12]);
    await until(async () => (await scene.balance()) === 500_000_000 - perMinute * 2.2);
    await scene.checkBooks();
  });

  test('sound that passes faster than the clock is charged by its length', async () => {
    await using opened = await open(engine);
    const { client, scene } = opened;
    client.send({ type: 'input_audio_buffer.append', audio: seconds(90) });
    client.send({ type: 'input_audio_buffer.append', audio: seconds(45) });
    client.send({ type: 'input_audio_buffer.clear' });
    await upTo(client, 'input_audio_buffer.cleared');
    client[Symbol.dispose]();
    const rows = await scene.logs(3);
    expect(rows.map(secondsIn).reduce((sum, used) => sum + used, 0)).toBe(135);
    await until(async () => (await scene.balance()) === 500_000_000 - 135 * 500);
    await scene.checkBooks();
  });

  test('sound that the account cannot pay for does not go on, and ends the session', async () => {
    await using opened = await open(engine, { quota: perMinute });
    const { client, peer, scene } = opened;
    client.send({ type: 'input_audio_buffer.append', audio: seconds(90) });
    await upTo(client, 'error');
    expect(await client.closed).toMatchObject({ code: 1008 });
    await peer.closed;
    expect(peer.ofType('input_audio_buffer.append')).toEqual([]);
    await until(async () => (await scene.balance()) === perMinute);
    await scene.checkBooks();
  });

  test('the provider ends the session: it is charged by its time', async () => {
    await using opened = await open(engine);
    const { client, peer, scene } = opened;
    scene.app.clock.advance(20_000);
    peer.socket.close(1000, 'done');
    await client.closed;
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ quota: 334 * 30, use_time: 20 });
    await scene.checkBooks();
  });

  test('xAI bills a text message as three seconds, and what it transcribes with the session', async () => {
    await using opened = await openGrok(engine);
    const { client, peer, scene } = opened;
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'When is high water?' }] };
    client.send({ type: 'session.update', session: { type: 'realtime', audio: { input: { transcription: { model: 'grok-scribe' } } } } });
    client.send({ type: 'conversation.item.create', item });
    client.send({ type: 'conversation.item.create', item: { type: 'function_call_output', call_id: 'call_1', output: '{}' } });
    await until(() => peer.ofType('conversation.item.create').length === 2);
    expect(peer.session['audio']).toEqual({ input: { transcription: { model: 'grok-scribe' } } });
    scene.app.clock.advance(4_000);
    client[Symbol.dispose]();
    const [row] = await scene.logs(1);
    // Seven seconds at $0.08 a minute.
    expect(row).toMatchObject({ model_name: 'grok-voice-latest', quota: Math.ceil(0.117 * 0.08 * 500_000), use_time: 7 });
    await scene.checkBooks();
  });

  test('a key for browsers opens one, and the price list says that it is by the minute', async () => {
    await using opened = await open(engine);
    const { client, scene } = opened;
    client[Symbol.dispose]();
    const response = await scene.post('/v1/realtime/client_secrets', { session: { type: 'realtime', model } });
    const { value } = await response.json();
    for (const [count, protocol] of ['openai-insecure-api-key', 'xai-client-secret'].entries()) {
      using other = await connectSocket(`${scene.app.origin}/v1/realtime`, { protocols: ['realtime', `${protocol}.${value}`] });
      await other.next();
      scene.app.clock.advance(6_000);
      other[Symbol.dispose]();
      expect((await scene.logs(count + 1))[count]).toMatchObject({ quota: 6 * 500 });
    }
    const prices = await (await fetch(`${scene.app.origin}/api/pricing`)).json();
    expect(prices.data.find((entry: { model_name: string }) => entry.model_name === model)).toMatchObject({
      quota_type: 1,
      unit: 'minute',
    });
    await scene.checkBooks();
  });
});

describe.each(engines)('models by the minute outside of sessions on $kind', (engine) => {
  test.each(['/v1/chat/completions', '/v1/responses', '/v1/messages'])('are refused at %s, and nothing is sent', async (path) => {
    await using opened = await open(engine);
    const { scene } = opened;
    const prompt = path.endsWith('responses') ? { input: 'hi' } : { messages: [{ role: 'user', content: 'hi' }] };
    const body = { model, max_tokens: 10, ...prompt };
    const response = await scene.post(path, body, { 'accept-language': 'en' });
    expect(response.status).toBe(400);
    expect((await response.json()).error.message).toContain('served in sessions at /v1/realtime only');
    await until(async () => (await scene.balance()) === 500_000_000);
    expect(scene.upstream.requests).toEqual([]);
    await scene.checkBooks();
  });
});

/** A session at a channel of xAI, at the price from the start. */
function openGrok(engine: Engine): Promise<OpenedSession> {
  const name = 'grok-voice-latest';
  return openRealtime(engine, { channel: { type: 48, models: name }, clock: frozen() }, { query: `model=${name}` });
}
