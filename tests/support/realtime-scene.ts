// A session of a client with a provider of ours behind it, opened and ready.
import { type FakeRealtime, type RealtimePeer, startFakeRealtime } from '#tests/support/fake-realtime.ts';
import type { Engine } from '#tests/support/engines.ts';
import type { ChannelFields } from '#tests/support/build-channel.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';
import { type ConnectOptions, connectSocket, type Json, type SocketClient } from '#tests/support/socket-client.ts';

export const realtimeModel = 'gpt-realtime';
/** Models for transcription. */
export const [cheap, dear] = ['gpt-4o-mini-transcribe', 'gpt-4o-transcribe'];
/** Ratios: text input 2 a token, text output 4 times that, audio input 8 times, audio output 16 times. */
const settings = {
  ModelRatio: JSON.stringify({ [realtimeModel]: 2, [cheap]: 0.625, [dear]: 1.25 }),
  CompletionRatio: JSON.stringify({ [realtimeModel]: 4, [cheap]: 4, [dear]: 4 }),
  CacheRatio: '{}',
  ImageRatio: '{}',
  AudioRatio: JSON.stringify({ [realtimeModel]: 8, [cheap]: 2.4, [dear]: 2.4 }),
  AudioCompletionRatio: JSON.stringify({ [realtimeModel]: 2 }),
};
/** (17 × 2.4 + 9 × 4) × 1.25, at the price of the more expensive model. */
export const writtenUsage = {
  type: 'tokens',
  total_tokens: 26,
  input_tokens: 17,
  output_tokens: 9,
  input_token_details: { text_tokens: 0, audio_tokens: 17 },
};
export const writtenCost = 96;
/** Sound of that length, as events have it. */
export const seconds = (count: number) => Buffer.alloc(48_000 * count).toString('base64');

export interface SessionConnecting extends ConnectOptions {
  /** Of its address. */
  query?: string;
}

export interface OpenedSession extends AsyncDisposable {
  scene: RelayScene;
  upstream: FakeRealtime;
  client: SocketClient;
  peer: RealtimePeer;
}

export interface RealtimeOptions extends SceneOptions {
  /** Fields of its channel; one of OpenAI by default. */
  channel?: ChannelFields;
}

export async function openRealtime(
  engine: Engine,
  options: RealtimeOptions = {},
  connecting: SessionConnecting = {},
): Promise<OpenedSession> {
  const upstream = await startFakeRealtime();
  const channels = options.channels ?? [{ base_url: upstream.url, models: `${realtimeModel},${cheap},${dear}`, ...options.channel }];
  const scene = await createScene(engine, { hasBudget: true, ...options, channels, settings: { ...settings, ...options.settings } });
  const { query = `model=${realtimeModel}`, ...connectOptions } = connecting;
  const headers = { authorization: `Bearer ${scene.key}`, ...connecting.headers };
  const client = await connectSocket(`${scene.app.origin}/v1/realtime?${query}`, { ...connectOptions, headers });
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

/** Reads until a message of that type. */
export async function upTo(client: SocketClient, type: string): Promise<Json> {
  for (;;) {
    const message = await client.next();
    if (message['type'] === type) return message;
  }
}

/** Builds an update that selects a model for transcription. */
export const writing = (transcription: unknown) => ({
  type: 'session.update',
  session: { type: 'realtime', audio: { input: { turn_detection: null, transcription } } },
});
