// How realtime sessions end: by whom, in which phase, and what that costs.
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import type { RealtimeBehaviour } from '#tests/support/fake-realtime.ts';
import { type OpenedSession, openRealtime, realtimeModel as model, upTo } from '#tests/support/realtime-scene.ts';
import { connectSocket } from '#tests/support/socket-client.ts';
import { until } from '#tests/support/until.ts';

const quota = 500_000_000;
/** 119 of text input, cached or not, 13 of audio input; 30 of text output, 91 of audio output: (119 + 13 × 8 + 30 × 4 + 91 × 16) × 2. */
const cost = 3598;

/** Nothing is held any more, and the rest is what was not charged. */
async function isSettled({ scene }: OpenedSession, charged: number): Promise<void> {
  await until(async () => (await scene.balance()) === quota - charged);
  await until(() => scene.app.app.sockets.size === 0);
  await scene.checkBooks();
}

async function turn({ client }: OpenedSession): Promise<void> {
  client.send({ type: 'response.create' });
  await upTo(client, 'response.done');
}

/** Starts a response that stays in progress. */
async function begin({ client, peer, upstream }: OpenedSession, behaviour: RealtimeBehaviour = {}): Promise<void> {
  upstream.behave({ holdAfter: 1, ...behaviour });
  client.send({ type: 'response.create' });
  await upTo(client, 'response.output_audio.delta');
  await until(() => peer.held !== null);
}

type Lose = (opened: OpenedSession) => Promise<void>;

const loses: readonly [string, Lose, string][] = [
  [
    'its user is disabled',
    async ({ scene: { app, user } }) => {
      await app.context.db.collection('users').patch({ id: user.id }, { set: { status: 2 } });
      await app.context.changes.announce('user', user.id);
    },
    'user_banned',
  ],
  [
    'its key is deleted',
    async ({ scene: { app, token } }) => {
      await app.context.db.collection('tokens').remove({ id: token.id });
      await app.context.changes.announce('token', token.id);
    },
    'key_invalid',
  ],
  [
    'its key expires',
    async ({ scene: { app, token } }) => {
      await app.context.db.collection('tokens').patch({ id: token.id }, { set: { expired_time: Math.floor(app.clock.now() / 1000) + 60 } });
      await app.context.changes.announce('token', token.id);
      app.clock.advance(61_000);
    },
    'key_expired',
  ],
];

describe.each(engines)('ends of realtime sessions on $kind', (engine) => {
  test.each(loses)('%s in the midst of a turn: it ends at once, and what came is charged', async (_what, lose, code) => {
    await using opened = await openRealtime(engine, { quota });
    await begin(opened);
    await lose(opened);
    const since = performance.now();
    expect(await opened.client.closed).toMatchObject({ code: 1008, reason: code });
    expect(performance.now() - since).toBeLessThan(3_000);
    expect(await opened.peer.closed).toMatchObject({ code: 1000 });
    const [row] = await opened.scene.logs(1);
    expect(row).toMatchObject({ model_name: model, completion_tokens: 10, other: { completion_source: 'estimated' } });
    await isSettled(opened, row?.quota ?? 0);
  });

  test('nobody can pay any more: the turn at work ends as it is, is told, and then the session ends', async () => {
    // A turn that begins needs 18,000.
    await using opened = await openRealtime(engine, { quota: 20_000 });
    const { client, peer, scene } = opened;
    await turn(opened);
    expect(await upTo(client, 'error')).toMatchObject({ error: { code: 'insufficient_user_quota' } });
    expect(await client.closed).toMatchObject({ code: 1008, reason: 'insufficient_user_quota' });
    expect(await peer.closed).toMatchObject({ code: 1000 });
    expect(await scene.logs(1)).toMatchObject([{ quota: cost }]);
    await until(async () => (await scene.balance()) === 20_000 - cost);
    await scene.checkBooks();
  });

  test.each<[string, (opened: OpenedSession) => void, number | null, number | null]>([
    ['the client closes', ({ client }) => client.socket.close(1000, 'OK'), 1000, 1000],
    ['the client is gone', ({ client }) => client.socket.terminate(), null, 1000],
    ['the provider closes', ({ peer }) => peer.socket.close(1000, 'done'), 1000, 1000],
    ['the provider ends it with a code of its own', ({ peer }) => peer.socket.close(4001, 'session expired'), 4001, 4001],
    ['the provider is gone', ({ peer }) => peer.socket.terminate(), 1011, null],
  ])('between turns %s: the other side is closed, and only what was told is charged', async (_who, end, toClient, toProvider) => {
    await using opened = await openRealtime(engine, { quota });
    await turn(opened);
    end(opened);
    const closed = await Promise.all([opened.client.closed, opened.peer.closed]);
    if (toClient !== null) expect(closed[0].code).toBe(toClient);
    if (toProvider !== null) expect(closed[1].code).toBe(toProvider);
    const [row] = await opened.scene.logs(1);
    expect(row?.quota).toBe(cost);
    await isSettled(opened, cost);
  });

  test('the client is gone in the midst of a turn: its provider stops it, and is still heard of what it has cost', async () => {
    await using opened = await openRealtime(engine, { quota });
    const { client, peer, scene } = opened;
    await begin(opened);
    const id = peer.held;
    client.socket.terminate();
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ quota: cost, prompt_tokens: 132, other: { ending: 'client_closed' } });
    expect(row?.other).not.toHaveProperty('completion_source', 'estimated');
    expect(peer.ofType('response.cancel')).toMatchObject([{ response_id: id }]);
    expect(await peer.closed).toMatchObject({ code: 1000 });
    await isSettled(opened, cost);
  });

  test('a response that is stopped before anything came of it, and whose usage nobody tells, is charged by what it reads', async () => {
    await using opened = await openRealtime(engine, { quota });
    const { client, peer, scene, upstream } = opened;
    upstream.behave({ holdAfter: 0, usage: null });
    client.send({ type: 'response.create' });
    await upTo(client, 'response.created');
    await until(() => peer.held !== null);
    client.socket.terminate();
    const [row] = await scene.logs(1);
    // A session begins with a thousand tokens, at 2 each.
    expect(row?.quota).toBeGreaterThanOrEqual(2_000);
    await isSettled(opened, row?.quota ?? 0);
  });

  test.each<[string, 'silent' | 'gone', (opened: OpenedSession) => unknown]>([
    ['its provider is gone then', 'gone', () => {}],
    ['the server ends then', 'silent', ({ scene }) => scene.app.app.shutDown()],
  ])('the client is gone in the midst of a turn, and %s: it is charged at once by what came', async (_what, cancelled, end) => {
    await using opened = await openRealtime(engine, { quota });
    const { client, peer, scene } = opened;
    await begin(opened, { cancelled });
    client.socket.terminate();
    await until(() => peer.ofType('response.cancel').length === 1);
    const since = performance.now();
    end(opened);
    const [row] = await scene.logs(1);
    expect(performance.now() - since).toBeLessThan(4_000);
    expect(row).toMatchObject({ completion_tokens: 10, other: { ending: 'client_closed', completion_source: 'estimated' } });
    await isSettled(opened, row?.quota ?? 0);
  });

  test('the client is gone while the provider opens the session: nothing is held, and nothing charged', async () => {
    await using opened = await openRealtime(engine, { quota });
    const { scene, upstream } = opened;
    upstream.behave({ isMute: true });
    const { port } = new URL(scene.app.origin);
    const requesting = connect(Number(port), '127.0.0.1');
    requesting.write(
      `GET /v1/realtime?model=${model} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n` +
        `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer ${scene.key}\r\n\r\n`,
    );
    await until(() => upstream.unanswered === 1);
    requesting.destroy();
    // In less time than a provider has to open a session.
    await until(() => upstream.unanswered === 0, 15_000);
    opened.client.socket.close(1000);
    await isSettled(opened, 0);
    expect(upstream.peers).toHaveLength(1);
  });

  test('a client that takes nothing is gone in time, however much waits for it, and its turn is charged', async () => {
    await using opened = await openRealtime(engine, { quota, env: { CLIENT_TIMEOUT: '2', STREAM_KEEPALIVE: '1' } });
    await begin(opened, { usage: null });
    opened.client.socket.pause();
    // So much that it waits at the server, and behind that at the provider.
    for (let sent = 0; sent < 12; sent += 1) opened.peer.emit({ type: 'conversation.item.added', filler: 'x'.repeat(8_000_000) });
    const [row] = await opened.scene.logs(1);
    expect(row).toMatchObject({ model_name: model, completion_tokens: 10, other: { ending: 'client_closed' } });
    await isSettled(opened, row?.quota ?? 0);
  });

  test('a half-open client is gone in time', async () => {
    await using opened = await openRealtime(engine, { quota, env: { CLIENT_TIMEOUT: '2', STREAM_KEEPALIVE: '1' } }, { autoPong: false });
    await begin(opened, { usage: null });
    const [row] = await opened.scene.logs(1);
    expect(row).toMatchObject({ completion_tokens: 10, other: { ending: 'client_closed' } });
    await isSettled(opened, row?.quota ?? 0);
  });

  test('places of one caller are not those of others', async () => {
    await using opened = await openRealtime(engine, { quota, env: { MAX_SOCKETS_PER_USER: '2' } });
    const { scene } = opened;
    const open = (key: string) =>
      connectSocket(`${scene.app.origin}/v1/realtime?model=${model}`, { headers: { authorization: `Bearer ${key}` } });
    using _second = await open(scene.key);
    const third = await failureOf(open(scene.key));
    expect(third).toMatchObject({ status: 429, body: { error: { code: 'too_many_sockets' } } });
  });
});
