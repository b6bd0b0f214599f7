// What a client might try to have for nothing in a realtime session.
import { describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import type { Engine } from '#tests/support/engines.ts';
import { startFakeRealtime } from '#tests/support/fake-realtime.ts';
import type { FakeRealtime, RealtimePeer } from '#tests/support/fake-realtime.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import type { RelayScene, SceneOptions } from '#tests/support/relay-scene.ts';
import { connectSocket } from '#tests/support/socket-client.ts';
import type { ConnectOptions, Json, SocketClient } from '#tests/support/socket-client.ts';
import { until } from '#tests/support/until.ts';

const model = 'gpt-realtime';
const [cheap, dear] = ['gpt-4o-mini-transcribe', 'gpt-4o-transcribe'];
const settings = {
  ModelRatio: JSON.stringify({ [model]: 2, [cheap]: 0.625, [dear]: 1.25 }),
  CompletionRatio: JSON.stringify({ [model]: 4, [cheap]: 4, [dear]: 4 }),
  AudioRatio: JSON.stringify({ [model]: 8, [cheap]: 2.4, [dear]: 2.4 }),
  AudioCompletionRatio: JSON.stringify({ [model]: 2 }),
};
/** (17 × 2.4 + 9 × 4) × 1.25 of the dear one. */
const writtenUsage = {
  type: 'tokens',
  total_tokens: 26,
  input_tokens: 17,
  output_tokens: 9,
  input_token_details: { text_tokens: 0, audio_tokens: 17 },
};
const writtenCost = 96;
const seconds = (count: number) => Buffer.alloc(48_000 * count).toString('base64');

interface Attack extends AsyncDisposable {
  scene: RelayScene;
  upstream: FakeRealtime;
  client: SocketClient;
  peer: RealtimePeer;
}

async function attack(engine: Engine, options: SceneOptions = {}, connecting: ConnectOptions = {}): Promise<Attack> {
  const upstream = await startFakeRealtime();
  const channels = options.channels ?? [{ base_url: upstream.url, models: `${model},${cheap},${dear}` }];
  const scene = await createScene(engine, { ...options, channels, settings: { ...settings, ...options.settings } });
  const headers = { authorization: `Bearer ${scene.key}`, ...connecting.headers };
  const client = await connectSocket(`${scene.app.origin}/v1/realtime?model=${model}`, { ...connecting, headers });
  await client.next();
  return {
    scene,
    upstream,
    client,
    peer: await upstream.peer(0),
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      await scene[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

async function upTo(client: SocketClient, type: string): Promise<Json> {
  for (;;) {
    const message = await client.next();
    if (message['type'] === type) return message;
  }
}

const writing = (transcription: unknown) => ({
  type: 'session.update',
  session: { type: 'realtime', audio: { input: { turn_detection: null, transcription } } },
});

describe.each(engines)('attacks on realtime sessions on $kind', (engine) => {
  test.each([
    ['switched off', null],
    ['given to a cheap model', { model: cheap }],
  ])('writing down that is %s behind a sound is charged by who has written it', async (_how, next) => {
    await using attacked = await attack(engine);
    const { client, peer, scene } = attacked;
    client.send(writing({ model: dear }));
    await upTo(client, 'session.updated');
    client.send({ type: 'input_audio_buffer.append', audio: seconds(1) });
    client.send({ type: 'input_audio_buffer.commit' });
    client.send(writing(next));
    await until(() => peer.ofType('session.update').length === 2);
    await upTo(client, 'session.updated');
    peer.transcribe(writtenUsage);
    await upTo(client, 'conversation.item.input_audio_transcription.completed');
    expect(await scene.logs(1)).toMatchObject([{ model_name: dear, quota: writtenCost }]);
    client.socket.close(1000);
    await peer.closed;
    await until(async () => (await scene.balance()) === 500_000_000 - writtenCost);
    await scene.checkBooks();
  });

  test('a text that nobody was known to write is paid by the last model', async () => {
    await using attacked = await attack(engine);
    const { client, peer, scene } = attacked;
    client.send(writing({ model: dear }));
    await upTo(client, 'session.updated');
    client.send(writing(null));
    await upTo(client, 'session.updated');
    peer.transcribe(writtenUsage);
    await upTo(client, 'conversation.item.input_audio_transcription.completed');
    expect(await scene.logs(1)).toMatchObject([{ model_name: dear, quota: writtenCost }]);
    await scene.checkBooks();
  });

  test('who reads a text as it is written and leaves before its end pays for it', async () => {
    await using attacked = await attack(engine);
    const { client, peer, scene } = attacked;
    client.send(writing({ model: dear }));
    await upTo(client, 'session.updated');
    client.send({ type: 'input_audio_buffer.append', audio: seconds(10) });
    client.send({ type: 'input_audio_buffer.commit' });
    await upTo(client, 'input_audio_buffer.committed');
    const delta = { item_id: 'item_heard', content_index: 0, delta: 'When is high water?' };
    peer.emit({ type: 'conversation.item.input_audio_transcription.delta', ...delta });
    await upTo(client, 'conversation.item.input_audio_transcription.delta');
    client.socket.terminate();
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ model_name: dear });
    // Ten seconds are about 100 tokens.
    expect(row?.quota).toBeGreaterThanOrEqual(Math.ceil(100 * 2.4 * 1.25));
    await scene.checkBooks();
  });

  test('a model that writes has to be named: that of the provider would be free', async () => {
    await using attacked = await attack(engine);
    const { client, peer } = attacked;
    for (const nameless of [{}, { language: 'en' }, { model: 7 }]) {
      client.send(writing(nameless));
      expect(await client.next()).toMatchObject({ type: 'error', error: { param: 'session.audio.input.transcription.model' } });
    }
    expect(peer.ofType('session.update')).toEqual([]);
  });
});
