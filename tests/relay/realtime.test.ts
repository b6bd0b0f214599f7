// Realtime sessions through a running server: what passes, what a turn is charged, and how a session ends.
import { createConnection } from 'node:net';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { describe, expect, test } from 'vitest';
import { type Engine, engines } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { type FakeRealtime, halfSecond, startFakeRealtime, usualUsage } from '#tests/support/fake-realtime.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';
import { type ConnectOptions, connectSocket, type Json, RefusedSocket, type SocketClient } from '#tests/support/socket-client.ts';
import { until } from '#tests/support/until.ts';

const model = 'gpt-realtime';
const writer = 'gpt-4o-transcribe';
const settings = {
  RetryTimes: '1',
  ModelRatio: JSON.stringify({ [model]: 2, [writer]: 1.25 }),
  CompletionRatio: JSON.stringify({ [model]: 4, [writer]: 4 }),
  ImageRatio: '{}',
  CacheRatio: JSON.stringify({ [model]: 0.1 }),
  AudioRatio: JSON.stringify({ [model]: 8, [writer]: 2.4 }),
  AudioCompletionRatio: JSON.stringify({ [model]: 2 }),
  AudioCacheRatio: JSON.stringify({ [model]: 0.25 }),
};
/** 55 of text input, 64 cached, 13 of audio input; 30 of text output, 91 of audio output: (55 + 6.4 + 13 × 8 + 30 × 4 + 91 × 16) × 2, rounded up. */
const usualCost = 3483;

interface Session extends AsyncDisposable {
  scene: RelayScene;
  upstream: FakeRealtime;
  connect(options?: ConnectOptions, query?: string): Promise<SocketClient>;
}

async function openSession(engine: Engine, options: SceneOptions = {}): Promise<Session> {
  const upstream = await startFakeRealtime();
  const channels = options.channels ?? [{ base_url: upstream.url, models: `${model},${writer}` }];
  const scene = await createScene(engine, { ...options, channels, settings: { ...settings, ...options.settings } });
  return {
    scene,
    upstream,
    connect: (connectOptions = {}, query = `?model=${model}`) =>
      connectSocket(`${scene.app.origin}/v1/realtime${query}`, { headers: { authorization: `Bearer ${scene.key}` }, ...connectOptions }),
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** All messages up to and with the first of that type. */
async function upTo(client: SocketClient, type: string): Promise<Json[]> {
  const all: Json[] = [];
  for (;;) {
    const message = await client.next();
    all.push(message);
    if (message['type'] === type) return all;
  }
}

const typesOf = (messages: readonly Json[]) => messages.map((message) => message['type']);

async function refusalOf(work: Promise<unknown>): Promise<RefusedSocket> {
  const failure = await failureOf(work);
  if (!(failure instanceof RefusedSocket)) throw failure;
  return failure;
}

describe.each(engines)('realtime sessions on $kind', (engine) => {
  test('turns pass in order; each is charged by its buckets before its end is told, and has its row', async () => {
    await using session = await openSession(engine);
    const { scene, upstream } = session;
    using client = await session.connect();
    expect(await client.next()).toMatchObject({ type: 'session.created', session: { model, type: 'realtime' } });
    for (const turn of [1, 2]) {
      client.send({ type: 'response.create' });
      const messages = await upTo(client, 'response.done');
      expect(typesOf(messages)).toEqual([
        'response.created',
        'response.output_audio.delta',
        'response.output_audio.delta',
        'response.output_audio.delta',
        'response.done',
      ]);
      expect(messages.at(-1)?.['response'].usage).toEqual(usualUsage);
      // Reported turns are durable.
      expect(await scene.app.context.db.collection('logs').find({ type: 2 })).toHaveLength(turn);
    }
    const peer = await upstream.peer(0);
    expect(peer.request.url).toBe(`/v1/realtime?model=${model}`);
    expect(peer.request.headers).toMatchObject({ authorization: 'Bearer sk-test' });
    expect(peer.request.headers['openai-beta']).toBeUndefined();
    expect(peer.ofType('session.update')).toEqual([]);
    const rows = await scene.logs(2);
    for (const row of rows) {
      expect(row).toMatchObject({ model_name: model, quota: usualCost, prompt_tokens: 132, completion_tokens: 121, is_stream: true });
      expect(row.other).toMatchObject({
        audio: true,
        audio_input: 13,
        audio_output: 91,
        text_input: 119,
        text_output: 30,
        cache_tokens: 64,
        audio_ratio: 8,
        completion_source: 'upstream',
      });
    }
    expect(new Set(rows.map((row) => row.request_id)).size).toBe(2);
    client.socket.close(1000);
    expect(await peer.closed).toMatchObject({ code: 1000 });
    expect(await scene.balance()).toBe(500_000_000 - 2 * usualCost);
    await scene.checkBooks();
  });

  test('what a provider begins by itself is reserved for and charged like what is asked for', async () => {
    await using session = await openSession(engine);
    using client = await session.connect();
    await client.next();
    client.send({ type: 'input_audio_buffer.append', audio: halfSecond });
    const peer = await session.upstream.peer(0);
    await until(() => peer.ofType('input_audio_buffer.append').length === 1);
    peer.speak();
    await upTo(client, 'response.done');
    expect(await session.scene.logs(1)).toMatchObject([{ quota: usualCost }]);
    await session.scene.checkBooks();
  });

  test('keys come as a protocol, and the shape of the beta goes on', async () => {
    await using session = await openSession(engine);
    const protocols = ['realtime', `openai-insecure-api-key.${session.scene.key}`, 'openai-beta.realtime-v1'];
    using client = await session.connect({ protocols, headers: {} });
    expect(client.socket.protocol).toBe('realtime');
    await client.next();
    client.send({ type: 'response.create' });
    expect(typesOf(await upTo(client, 'response.done'))).toContain('response.audio.delta');
    const { request } = await session.upstream.peer(0);
    expect(request.headers).toMatchObject({ 'openai-beta': 'realtime=v1', authorization: 'Bearer sk-test' });
    expect(request.headers['sec-websocket-protocol']).toBeUndefined();
    expect(await session.scene.logs(1)).toMatchObject([{ quota: usualCost }]);
  });

  test('the official library talks through it', async () => {
    await using session = await openSession(engine);
    const { app, key } = session.scene;
    const client = new OpenAIRealtimeWS(
      // It connects by TLS only, which the test replaces.
      { model, options: { createConnection: () => createConnection(Number(new URL(app.origin).port), '127.0.0.1') } },
      new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: key }),
    );
    const done = new Promise<Json>((resolve, reject) => {
      client.on('error', reject);
      client.on('response.done', resolve);
    });
    client.on('session.created', () => {
      client.send({ type: 'session.update', session: { type: 'realtime', instructions: 'Speak of tides.' } });
      client.send({ type: 'response.create' });
    });
    expect(await done).toMatchObject({ response: { status: 'completed', usage: usualUsage } });
    client.close();
    expect(await session.scene.logs(1)).toMatchObject([{ quota: usualCost }]);
    await session.scene.checkBooks();
  });

  test('refusals come before the handshake, in the format of the path', async () => {
    await using session = await openSession(engine);
    const { scene, upstream } = session;
    expect(await refusalOf(session.connect({}, ''))).toMatchObject({ status: 400, body: { error: { code: 'model_required' } } });
    expect(await refusalOf(session.connect({}, '?call_id=rtc_1'))).toMatchObject({ status: 400, body: { error: { param: 'call_id' } } });
    expect(await refusalOf(session.connect({}, '?model=nobody'))).toMatchObject({
      status: 404,
      body: { error: { code: 'model_not_found' } },
    });
    expect(await refusalOf(session.connect({ headers: { authorization: 'Bearer sk-none' } }))).toMatchObject({ status: 401 });
    const poor = await scene.addToken({ quota: 1 });
    const asPoor = { headers: { authorization: `Bearer ${poor.key}` } };
    expect(await refusalOf(session.connect(asPoor))).toMatchObject({
      status: 403,
      body: { error: { code: 'pre_consume_token_quota_failed' } },
    });
    // Each is one row of the log, with the returned id.
    const again = await refusalOf(session.connect(asPoor));
    await refusalOf(session.connect(asPoor, ''));
    type Facts = { code: string; count: number; request_ids: string[] };
    const rows = async () => {
      const all = await scene.app.context.db.collection('logs').find({ type: 5, token_id: poor.token.id });
      return all.map(({ model_name, other }) => ({ model_name, ...(other?.refusal as Facts) }));
    };
    await until(async () => (await rows()).some(({ code }) => code === 'model_required'));
    const ofPoor = (await rows()).filter(({ code }) => code === 'pre_consume_token_quota_failed');
    expect(ofPoor).toMatchObject([{ model_name: model, count: 2 }]);
    expect(JSON.stringify(again.body)).toContain(ofPoor[0]?.request_ids.at(-1));
    upstream.behave({ refuse: { status: 400, body: { error: { message: 'No such thing', type: 'invalid_request_error' } } } });
    expect(await refusalOf(session.connect())).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('No such thing') } },
    });
    expect(await scene.logs(1)).toMatchObject([{ quota: 0, other: { ending: 'upstream_error' } }]);
    expect(await scene.balance()).toBe(500_000_000);
    await scene.checkBooks();
  });

  test('a channel that does not open it is followed by another one', async () => {
    await using bad = await startFakeRealtime();
    bad.behave({ refuse: { status: 500, body: { error: { message: 'down' } } } });
    await using good = await startFakeRealtime();
    await using session = await openSession(engine, {
      channels: [
        { base_url: bad.url, models: model, priority: 9 },
        { base_url: good.url, models: model, model_mapping: JSON.stringify({ [model]: 'gpt-realtime-2.1' }) },
      ],
    });
    using client = await session.connect();
    expect(await client.next()).toMatchObject({ type: 'session.created', session: { model } });
    expect((await good.peer(0)).request.url).toBe('/v1/realtime?model=gpt-realtime-2.1');
    client.send({ type: 'response.create' });
    await upTo(client, 'response.done');
    const [row] = await session.scene.logs(1);
    expect(row).toMatchObject({ model_name: model, quota: usualCost, other: { upstream_model_name: 'gpt-realtime-2.1' } });
    expect(row?.other?.['attempts']).toHaveLength(3);
    client.send({ type: 'session.update', session: { type: 'realtime', model: 'gpt-realtime-2' } });
    expect(await client.next()).toMatchObject({ type: 'error', error: { param: 'session.model' } });
  });

  test('an account that can pay for less has its responses limited, and the client hears nothing of it', async () => {
    // 1,000 of text at 2, and about 1,000 tokens spoken at 32.
    await using session = await openSession(engine, { quota: 40_000 });
    using client = await session.connect();
    await client.next();
    const peer = await session.upstream.peer(0);
    await until(() => peer.ofType('session.update').length === 1);
    const bound = peer.ofType('session.update')[0]?.['session'].max_output_tokens;
    expect(bound).toBeGreaterThan(500);
    expect(bound).toBeLessThan(1250);
    client.send({ type: 'session.update', event_id: 'mine', session: { type: 'realtime', max_output_tokens: 4096 } });
    const updated = await client.next();
    expect(updated).toMatchObject({ type: 'session.updated' });
    // The update is a part of the prompt.
    expect(updated['session'].max_output_tokens).toBeLessThanOrEqual(bound);
    expect(updated['session'].max_output_tokens).toBeGreaterThan(bound - 450);
    client.send({ type: 'response.create', response: { max_output_tokens: 3000 } });
    await upTo(client, 'response.done');
    const requested = peer.ofType('response.create')[0]?.['response'].max_output_tokens;
    expect(requested).toBeLessThanOrEqual(bound);
    const [row] = await session.scene.logs(1);
    expect(row).toMatchObject({ quota: usualCost, other: { output_bound: requested } });
    await session.scene.checkBooks();
  });

  test('what nobody can pay for is not heard by the provider, and ends the session', async () => {
    await using session = await openSession(engine, { quota: 30_000 });
    using client = await session.connect();
    await client.next();
    client.send({ type: 'session.update', session: { type: 'realtime', audio: { input: { turn_detection: null } } } });
    // 10 seconds are 100 tokens at 16.
    for (let sent = 0; sent < 40; sent += 1)
      client.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(480_000).toString('base64') });
    const messages = await upTo(client, 'error');
    expect(messages.at(-1)).toMatchObject({ error: { code: 'overdraft_stopped' } });
    expect(await client.closed).toMatchObject({ code: 1008, reason: 'overdraft_stopped' });
    const peer = await session.upstream.peer(0);
    await peer.closed;
    expect(peer.ofType('input_audio_buffer.append').length).toBeLessThan(20);
    await until(async () => (await session.scene.balance()) === 30_000);
    await session.scene.checkBooks();
  });

  test('a turn that is cancelled is charged by what its provider tells', async () => {
    await using session = await openSession(engine);
    using client = await session.connect();
    await client.next();
    session.upstream.behave({ holdAfter: 2 });
    client.send({ type: 'response.create' });
    await upTo(client, 'response.output_audio.delta');
    const peer = await session.upstream.peer(0);
    await until(() => peer.held !== null);
    const usage = { ...usualUsage, output_tokens: 10, total_tokens: 142, output_token_details: { text_tokens: 0, audio_tokens: 10 } };
    session.upstream.behave({ usage });
    client.send({ type: 'response.cancel' });
    expect((await upTo(client, 'response.done')).at(-1)).toMatchObject({ response: { status: 'cancelled' } });
    expect(await session.scene.logs(1)).toMatchObject([{ completion_tokens: 10, quota: Math.ceil((55 + 6.4 + 104 + 160) * 2) }]);
    await session.scene.checkBooks();
  });

  test('sound that was in the cache has a price of its own', async () => {
    await using session = await openSession(engine);
    using client = await session.connect();
    await client.next();
    const cached_tokens_details = { text_tokens: 40, audio_tokens: 8, image_tokens: 16 };
    const input_token_details = { text_tokens: 100, audio_tokens: 13, image_tokens: 19, cached_tokens: 64, cached_tokens_details };
    session.upstream.behave({ usage: { ...usualUsage, input_token_details } });
    client.send({ type: 'response.create' });
    await upTo(client, 'response.done');
    // 60 of text and 3 of pictures; 40 and 16 of those cached at a tenth; 5 of audio input, 8 again at a quarter of that.
    const quota = Math.ceil((63 + 5.6 + 5 * 8 + 8 * 2 + 30 * 4 + 91 * 16) * 2);
    const other = { cache_tokens: 64, audio_input: 5, audio_cache_tokens: 8, audio_cache_ratio: 2 };
    expect(await session.scene.logs(1)).toMatchObject([{ quota, other }]);
    await session.scene.checkBooks();
  });

  test.each(['client', 'upstream'] as const)('a turn that the %s breaks off is charged by what was seen', async (who) => {
    await using session = await openSession(engine);
    using client = await session.connect();
    await client.next();
    // Its provider reports no details of the usage.
    session.upstream.behave({ holdAfter: 2, usage: null });
    client.send({ type: 'response.create' });
    await upTo(client, 'response.output_audio.delta');
    await upTo(client, 'response.output_audio.delta');
    const peer = await session.upstream.peer(0);
    if (who === 'client') client.socket.terminate();
    else peer.socket.terminate();
    const [row] = await session.scene.logs(1);
    // A second was spoken.
    expect(row).toMatchObject({ completion_tokens: 20, other: { audio_output: 20, completion_source: 'estimated' } });
    expect(row?.other?.['ending']).toBe(who === 'client' ? 'client_closed' : 'truncated');
    expect(row?.quota).toBeGreaterThan(20 * 16 * 2);
    if (who === 'upstream') expect(await client.closed).toMatchObject({ code: 1011, reason: 'upstream_truncated' });
    else await peer.closed;
    await session.scene.checkBooks();
  });

  test('what is written down of the sound is charged by its own model', async () => {
    await using session = await openSession(engine);
    using client = await session.connect();
    await client.next();
    const transcription = { model: writer };
    client.send({ type: 'session.update', session: { type: 'realtime', audio: { input: { transcription } } } });
    await upTo(client, 'session.updated');
    client.send({ type: 'input_audio_buffer.append', audio: halfSecond });
    client.send({ type: 'input_audio_buffer.commit' });
    await upTo(client, 'input_audio_buffer.committed');
    const peer = await session.upstream.peer(0);
    peer.transcribe({
      type: 'tokens',
      total_tokens: 26,
      input_tokens: 17,
      output_tokens: 9,
      input_token_details: { text_tokens: 0, audio_tokens: 17 },
    });
    await upTo(client, 'conversation.item.input_audio_transcription.completed');
    // (17 × 2.4 + 9 × 4) × 1.25
    expect(await session.scene.logs(1)).toMatchObject([{ model_name: writer, quota: 96, prompt_tokens: 17, completion_tokens: 9 }]);
    client.send({ type: 'session.update', session: { type: 'realtime', audio: { input: { transcription: { model: 'nobody' } } } } });
    expect(await client.next()).toMatchObject({ type: 'error', error: { code: 'model_not_found' } });
    await session.scene.checkBooks();
  });

  test('a key that is disabled, a user that is, a channel that is: each ends the session', async () => {
    await using session = await openSession(engine);
    const { context } = session.scene.app;
    const second = await session.scene.addToken();
    const lost = await session.connect({ headers: { authorization: `Bearer ${second.key}` } });
    await lost.next();
    await context.db.collection('tokens').patch({ id: second.token.id }, { set: { status: 2 } });
    await context.changes.announce('token', second.token.id);
    expect(await lost.closed).toMatchObject({ code: 1008, reason: 'key_disabled' });
    const client = await session.connect();
    await client.next();
    session.upstream.behave({ holdAfter: 1 });
    client.send({ type: 'response.create' });
    await upTo(client, 'response.output_audio.delta');
    const [channel = 0] = session.scene.channelIds;
    await context.db.collection('channels').patch({ id: channel }, { set: { status: 2 } });
    await context.changes.announce('channel', channel);
    const peer = await session.upstream.peer(1);
    peer.finish();
    await upTo(client, 'response.done');
    expect(await client.closed).toMatchObject({ code: 1012, reason: 'channel_disabled' });
    expect(await session.scene.logs(1)).toMatchObject([{ quota: usualCost }]);
    await session.scene.checkBooks();
  });

  test('Azure is asked at its own addresses: that of the beta with a version, that of today without', async () => {
    await using upstream = await startFakeRealtime();
    await using session = await openSession(engine, {
      channels: [{ type: 3, base_url: upstream.url, models: model, other: '2025-04-01-preview' }],
    });
    using client = await session.connect();
    await client.next();
    const { request } = await upstream.peer(0);
    expect(request.url).toBe(`/openai/v1/realtime?model=${model}`);
    expect(request.headers).toMatchObject({ 'api-key': 'sk-test' });
    expect(request.headers.authorization).toBeUndefined();
    const beta = await session.connect({ headers: { authorization: `Bearer ${session.scene.key}`, 'openai-beta': 'realtime=v1' } });
    await beta.next();
    expect((await upstream.peer(1)).request.url).toBe(`/openai/realtime?api-version=2025-04-01-preview&deployment=${model}`);
    beta.socket.terminate();
  });

  test('who does not read stops the provider, and hears all of it in order afterwards', async () => {
    await using session = await openSession(engine);
    using client = await session.connect();
    await client.next();
    const peer = await session.upstream.peer(0);
    client.socket.pause();
    const many = 3_000;
    for (let number = 0; number < many; number += 1) peer.emit({ type: 'conversation.item.added', number, filler: 'x'.repeat(10_000) });
    // 30 MB do not fit between the two: what is not read waits at the provider.
    await until(() => peer.socket.bufferedAmount > 0);
    let last = -1;
    await until(() => {
      const is = peer.socket.bufferedAmount;
      const still = is === last;
      last = is;
      return still;
    });
    expect(peer.socket.bufferedAmount).toBeGreaterThan(5_000_000);
    client.socket.resume();
    for (let number = 0; number < many; number += 1) expect(await client.next()).toMatchObject({ number });
  });

  test('a server that ends lets the turn at work end, and closes', async () => {
    await using session = await openSession(engine, { env: { SHUTDOWN_GRACE: '60' } });
    using client = await session.connect();
    using idle = await session.connect();
    await client.next();
    await idle.next();
    session.upstream.behave({ holdAfter: 1 });
    client.send({ type: 'response.create' });
    await upTo(client, 'response.output_audio.delta');
    const peer = await session.upstream.peer(0);
    await until(() => peer.held !== null);
    const closing = session.scene.app.close();
    expect(await idle.closed).toMatchObject({ code: 1001 });
    peer.finish();
    await upTo(client, 'response.done');
    expect(await client.closed).toMatchObject({ code: 1001, reason: 'shutting_down' });
    await closing;
  });
});
