// Long answers that their callers do not read: they fill what is there for one user's answers, and what comes next waits upstream.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createToken } from '#tests/support/build-token.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene, type RelayScene, testModel } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

/** Of so many MiB, and a little more. */
const answerOf = (size: number) =>
  Buffer.from(
    `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5]}],"pad":"${'x'.repeat(size * 1024 * 1024)}","usage":{"prompt_tokens":7,"total_tokens":7}}`,
  );
const request = JSON.stringify({ model: testModel, input: 'x' });
interface HeldCall {
  socket: Socket;
  response: ServerResponse;
  read(): Promise<number>;
}

interface Scene {
  scene: RelayScene;
  /** A call whose client reads nothing yet, and whose upstream says nothing yet. */
  ask(key?: string): Promise<HeldCall>;
  /** The same, and the upstream has answered. */
  call(answer: Buffer, key?: string): Promise<HeldCall>;
  /** The key of another account. */
  addAccount(): Promise<string>;
}

async function arrange(use: (scene: Scene) => Promise<void>, env: Record<string, string> = {}): Promise<void> {
  const open: ServerResponse[] = [];
  await using upstream = await startRawUpstream((response) => void open.push(response), { type: 'application/json' });
  await using scene = await createScene(embeddedEngine, { channels: [{ base_url: upstream.url }], env });
  const ask: Scene['ask'] = async (key = scene.key) => {
    const place = open.length;
    const socket = connect(scene.app.port, '127.0.0.1');
    await once(socket, 'connect');
    const head = ['POST /v1/embeddings HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`, 'Connection: close'];
    socket.write([...head, `Content-Length: ${request.length}`, '', request].join('\r\n'));
    socket.pause();
    socket.on('error', () => {});
    await until(() => open.length > place);
    const response = open[place];
    if (response === undefined) throw new Error('The upstream was not asked');
    const read = async () => {
      let bytes = 0;
      for await (const chunk of socket) bytes += (chunk as Buffer).length;
      return bytes;
    };
    return { socket, response, read };
  };
  await use({
    scene,
    async addAccount() {
      const { id } = await scene.app.createUser({ quota: 10_000_000 });
      return (await createToken(scene.app.context, id)).key;
    },
    ask,
    async call(answer, key) {
      const held = await ask(key);
      held.response.end(answer);
      return held;
    },
  });
}

/** It has not all left, and nothing more does. */
async function untilStill(held: HeldCall): Promise<void> {
  await untilAtRest(held);
  expect(held.response.writableFinished).toBe(false);
}

test('a long answer waits in its upstream while its user does not read another one', () =>
  arrange(async ({ scene, call }) => {
    const answer = answerOf(90);
    const first = await call(answer);
    await until(() => first.response.writableFinished);
    const second = await call(answer);
    await untilStill(second);
    expect(await first.read()).toBeGreaterThan(answer.length);
    expect(await second.read()).toBeGreaterThan(answer.length);
    const rows = await scene.logs(2);
    expect(rows.map((row) => row.prompt_tokens)).toEqual([7, 7]);
    await scene.checkBooks();
  }));

test('a caller who leaves while the answer waits pays for what the upstream tells', () =>
  arrange(async ({ scene, call }) => {
    const first = await call(answerOf(124));
    await until(() => first.response.writableFinished);
    const second = await call(answerOf(12));
    await untilStill(second);
    second.socket.destroy();
    await first.read();
    const rows = await scene.logs(2);
    expect(rows.map((row) => row.prompt_tokens)).toEqual([7, 7]);
    await scene.checkBooks();
  }));

test('whatever three accounts leave unread, a fourth has its answers at once', () =>
  arrange(async ({ call, addAccount }) => {
    const unread = [];
    for (let account = 0; account < 3; account += 1) {
      const key = await addAccount();
      for (let place = 0; place < 6; place += 1) unread.push(await call(answerOf(20), key));
    }
    await Promise.all(unread.slice(-6).map(untilAtRest));
    const key = await addAccount();
    for (const size of [1, 20]) {
      const answer = answerOf(size);
      expect(await (await call(answer, key)).read()).toBeGreaterThan(answer.length);
    }
    // A small one of an account that reads nothing else does not wait either.
    expect(await (await call(answerOf(1))).read()).toBeGreaterThan(1024 * 1024);
    for (const { socket } of unread) socket.destroy();
  }));

test('answers of one account that nobody reads are let go together, and what it reads comes soon', () =>
  arrange(
    async ({ scene, ask, call }) => {
      const answer = answerOf(20);
      const unread: HeldCall[] = [];
      for (let count = 0; count < 20; count += 1) unread.push(await ask());
      // All come at the same time.
      for (const { response } of unread) response.end(answer);
      const read = await call(answer);
      const small = await call(answerOf(1));
      expect(await small.read()).toBeGreaterThan(1024 * 1024);
      // Before the long one, which waits until most of those are released.
      expect(read.response.writableFinished).toBe(false);
      expect(await read.read()).toBeGreaterThan(answer.length);
      await until(async () => (await scene.app.connections()) === 0, 100_000);
      for (const { socket } of unread) socket.destroy();
      await scene.checkBooks();
    },
    { CLIENT_TIMEOUT: '2' },
  ));

/** All of it has left, or nothing more does for a while. */
async function untilAtRest(held: HeldCall): Promise<void> {
  let seen = -1;
  let looks = 0;
  await until(() => {
    const written = held.response.socket?.bytesWritten ?? -1;
    looks = written === seen ? looks + 1 : 0;
    seen = written;
    return looks >= 50 || held.response.writableFinished;
  });
}
