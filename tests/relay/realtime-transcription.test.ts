// Transcription sessions, without responses. https://developers.openai.com/api/docs/guides/realtime-transcription
import { createConnection } from 'node:net';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { startFakeRealtime } from '#tests/support/fake-realtime.ts';
import { cheap, dear, openRealtime, seconds, upTo, writtenCost, writtenUsage } from '#tests/support/realtime-scene.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { connectSocket, type Json } from '#tests/support/socket-client.ts';
import { until } from '#tests/support/until.ts';

/** Transcribes during the speech, and is billed by the minute: a thousandth of it is a token at 8.5. */
const live = 'gpt-live-transcribe';
const liveRatio = { ModelRatio: JSON.stringify({ [live]: 8.5, [dear]: 1.25, [cheap]: 0.625 }) };
const query = 'intent=transcription';
const writing = (model: string) => ({ type: 'transcription', audio: { input: { turn_detection: null, transcription: { model } } } });
const update = (model: string) => ({ type: 'session.update', session: writing(model) });
const completed = 'conversation.item.input_audio_transcription.completed';
const delta = { type: 'conversation.item.input_audio_transcription.delta', item_id: 'item_heard', content_index: 0, delta: 'When is' };

describe.each(oneEngine)('sessions that transcribe on $kind', (engine) => {
  test('a sound is written down and charged by the model that its client has named, before it is told', async () => {
    await using opened = await openRealtime(engine, {}, { query });
    const { client, peer, scene } = opened;
    expect(peer.request.url).toBe('/v1/realtime?intent=transcription');
    // The model is unset, so the price is unknown.
    client.send({ type: 'input_audio_buffer.append', audio: seconds(1) });
    expect(await client.next()).toMatchObject({ error: { code: 'model_required', param: 'session.audio.input.transcription.model' } });
    client.send(update(dear));
    expect(await upTo(client, 'session.updated')).toMatchObject({ session: { type: 'transcription' } });
    for (const type of ['response.create', 'conversation.item.create']) {
      client.send({ type });
      expect(await client.next()).toMatchObject({ type: 'error', error: { param: 'type' } });
    }
    client.send({ type: 'input_audio_buffer.append', audio: seconds(1) });
    client.send({ type: 'input_audio_buffer.commit' });
    await upTo(client, 'input_audio_buffer.committed');
    peer.transcribe(writtenUsage);
    await upTo(client, completed);
    expect(await scene.logs(1)).toMatchObject([{ model_name: dear, quota: writtenCost, prompt_tokens: 17, completion_tokens: 9 }]);
    expect(peer.received.map(({ type }) => type)).toEqual(['session.update', 'input_audio_buffer.append', 'input_audio_buffer.commit']);
    client.socket.close(1000);
    expect(await peer.closed).toMatchObject({ code: 1000 });
    await until(async () => (await scene.balance()) === 500_000_000 - writtenCost);
    await scene.checkBooks();
  });

  test('a model in the address chooses the channel, and is set before the client hears of its session', async () => {
    await using opened = await openRealtime(engine, {}, { query: `${query}&model=${cheap}` });
    const { client, peer } = opened;
    expect(peer.session).toMatchObject({ type: 'transcription', audio: { input: { transcription: { model: cheap } } } });
    client.send(update('gpt-realtime-whisper'));
    expect(await client.next()).toMatchObject({ error: { code: 'model_not_found', param: 'session.audio.input.transcription.model' } });
    client.send({ type: 'session.update', session: { type: 'realtime' } });
    expect(await client.next()).toMatchObject({ error: { param: 'session.type' } });
  });

  test('a model that is billed by the minute is charged by the seconds that its provider tells', async () => {
    const settings = liveRatio;
    await using opened = await openRealtime(engine, { settings, channels: undefined }, { query: `${query}&model=${dear}` });
    const { scene, client, upstream } = opened;
    const [id = 0] = scene.channelIds;
    await scene.app.context.db.collection('channels').patch({ id }, { set: { models: `${live},${dear}` } });
    await scene.app.context.changes.announce('channel', id);
    client.socket.close(1000);
    const headers = { authorization: `Bearer ${scene.key}` };
    await until(() => scene.app.app.sockets.size === 0);
    using again = await connectSocket(`${scene.app.origin}/v1/realtime?${query}`, { headers });
    await again.next();
    again.send(update(live));
    await upTo(again, 'session.updated');
    again.send({ type: 'input_audio_buffer.append', audio: seconds(30) });
    again.send({ type: 'input_audio_buffer.commit' });
    await upTo(again, 'input_audio_buffer.committed');
    (await upstream.peer(1)).transcribe({ type: 'duration', seconds: 30 });
    await upTo(again, completed);
    // Half a minute: 500 tokens.
    expect(await scene.logs(1)).toMatchObject([{ model_name: live, quota: 4250 }]);
    await scene.checkBooks();
  });

  test.each<[string, (client: Awaited<ReturnType<typeof connectSocket>>) => void]>([
    ['left', (client) => client.socket.terminate()],
    ['thrown away', (client) => client.send({ type: 'input_audio_buffer.clear' })],
  ])('text that was read while somebody spoke is paid for when the sound is %s', async (_how, end) => {
    await using opened = await openRealtime(engine, {}, { query: `${query}&model=${dear}` });
    const { client, peer, scene } = opened;
    client.send(update(dear));
    await upTo(client, 'session.updated');
    client.send({ type: 'input_audio_buffer.append', audio: seconds(20) });
    await until(() => peer.ofType('input_audio_buffer.append').length === 1);
    peer.emit(delta);
    await upTo(client, delta.type);
    end(client);
    const [row] = await scene.logs(1);
    // 20 seconds are 200 tokens at 3.
    expect(row).toMatchObject({ model_name: dear, quota: 600, other: { completion_source: 'estimated' } });
    await scene.checkBooks();
  });

  test('who cannot pay gets none, and who uses it up is stopped', async () => {
    await using opened = await openRealtime(engine, {}, { query });
    const { scene, upstream } = opened;
    const poor = await scene.addToken({ quota: 10 });
    const url = `${scene.app.origin}/v1/realtime?${query}`;
    const connect = (key: string) => connectSocket(url, { headers: { authorization: `Bearer ${key}` } });
    expect(await failureOf(connect(poor.key))).toMatchObject({ status: 403 });
    expect(
      await failureOf(connectSocket(url.replace(query, 'intent=chat'), { headers: { authorization: `Bearer ${scene.key}` } })),
    ).toMatchObject({
      status: 400,
      body: { error: { param: 'intent' } },
    });
    expect(upstream.peers).toHaveLength(1);
    // A minute of the more expensive model is 1,800 tokens of audio, and its transcript may be as long.
    const little = await scene.addToken({ quota: 5_000 });
    using client = await connect(little.key);
    await client.next();
    client.send(update(dear));
    for (let minute = 0; minute < 4; minute += 1) client.send({ type: 'input_audio_buffer.append', audio: seconds(60) });
    await upTo(client, 'error');
    expect(await client.closed).toMatchObject({ code: 1008 });
    expect((await upstream.peer(1)).ofType('input_audio_buffer.append').length).toBeLessThan(3);
    await scene.checkBooks();
  });

  test('the official library asks for one, and the shape of the beta has its own names', async () => {
    await using opened = await openRealtime(engine, {}, { query, headers: { 'openai-beta': 'realtime=v1' } });
    const { scene, client, peer, upstream } = opened;
    client.send({ type: 'transcription_session.update', session: { turn_detection: null, input_audio_transcription: { model: dear } } });
    expect(await upTo(client, 'transcription_session.updated')).toMatchObject({ session: { input_audio_transcription: { model: dear } } });
    client.send({ type: 'input_audio_buffer.append', audio: seconds(1) });
    client.send({ type: 'input_audio_buffer.commit' });
    await upTo(client, 'input_audio_buffer.committed');
    peer.transcribe(writtenUsage);
    await upTo(client, completed);
    const { app, key } = scene;
    const library = new OpenAIRealtimeWS(
      { intent: 'transcription', options: { createConnection: () => createConnection(Number(new URL(app.origin).port), '127.0.0.1') } },
      new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: key }),
    );
    const written = new Promise<Json>((resolve, reject) => {
      library.on('error', reject);
      library.on(completed, resolve);
    });
    library.on('session.created', () => {
      library.send({ type: 'session.update', session: { type: 'transcription', audio: { input: { transcription: { model: dear } } } } });
      library.send({ type: 'input_audio_buffer.append', audio: seconds(1) });
      library.send({ type: 'input_audio_buffer.commit' });
    });
    library.on('input_audio_buffer.committed', () => upstream.peers[1]?.transcribe(writtenUsage));
    expect(await written).toMatchObject({ usage: { type: 'tokens' } });
    library.close();
    expect(await scene.logs(2)).toMatchObject([{ quota: writtenCost }, { quota: writtenCost }]);
    await scene.checkBooks();
  });

  test('a server that ends lets a text be written to its end', async () => {
    await using opened = await openRealtime(engine, { env: { SHUTDOWN_GRACE: '60' } }, { query: `${query}&model=${dear}` });
    const { client, peer, scene } = opened;
    client.send({ type: 'input_audio_buffer.append', audio: seconds(1) });
    client.send({ type: 'input_audio_buffer.commit' });
    await upTo(client, 'input_audio_buffer.committed');
    const closing = scene.app.close();
    peer.transcribe(writtenUsage);
    await upTo(client, completed);
    expect(await client.closed).toMatchObject({ code: 1001, reason: 'shutting_down' });
    await closing;
  });

  test.each([
    ['today', {}, '/openai/v1/realtime?intent=transcription'],
    ['the beta', { 'openai-beta': 'realtime=v1' }, '/openai/realtime?api-version=2025-04-01-preview&intent=transcription'],
  ])('Azure is asked at its own address: that of %s', async (_when, headers, address) => {
    await using upstream = await startFakeRealtime();
    const channels = [{ type: 3, base_url: upstream.url, models: dear, other: '2025-04-01-preview' }];
    await using scene = await createScene(engine, { channels, settings: { ModelRatio: JSON.stringify({ [dear]: 1.25 }) } });
    const url = `${scene.app.origin}/v1/realtime?${query}`;
    using client = await connectSocket(url, { headers: { authorization: `Bearer ${scene.key}`, ...headers } });
    await client.next();
    const { request } = await upstream.peer(0);
    expect(request.url).toBe(address);
    expect(request.headers).toMatchObject({ 'api-key': 'sk-test' });
  });

  test('keys for browsers open them, set as they say', async () => {
    await using opened = await openRealtime(engine, {}, { query });
    const { scene, upstream } = opened;
    const give = async (path: string, body: object) => (await (await scene.post(`/v1/realtime/${path}`, body)).json()) as Json;
    const secret = await give('client_secrets', { session: writing(dear) });
    expect(secret).toMatchObject({ value: expect.stringMatching(/^ek_/), session: { type: 'transcription' } });
    const open = (value: string, requested = query) =>
      connectSocket(`${scene.app.origin}/v1/realtime?${requested}`, { protocols: ['realtime', `openai-insecure-api-key.${value}`] });
    using client = await open(secret['value']);
    expect(await client.next()).toMatchObject({ type: 'session.created', session: writing(dear) });
    const old = await give('transcription_sessions', { input_audio_transcription: { model: dear } });
    expect(old).toMatchObject({ object: 'realtime.transcription_session', client_secret: { value: expect.stringMatching(/^ek_/) } });
    const nameless = await give('client_secrets', { session: { type: 'transcription' } });
    expect(nameless['error']).toMatchObject({ param: 'session.audio.input.transcription.model' });
    const spoken = await give('client_secrets', { session: { type: 'realtime', model: 'gpt-realtime' } });
    expect(await failureOf(open(spoken['value']))).toMatchObject({ status: 400, body: { error: { param: 'intent' } } });
    expect(upstream.peers).toHaveLength(2);
  });
});
