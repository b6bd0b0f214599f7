// Long answers that their callers do not read: they fill what is there for one user's answers, and what comes next waits upstream.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene, testModel } from '#tests/support/relay-scene.ts';
import type { RelayScene } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

/** Of so many MiB, and a little more. */
const answerOf = (size: number) =>
  `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5]}],"pad":"${'x'.repeat(size * 1024 * 1024)}","usage":{"prompt_tokens":7,"total_tokens":7}}`;
const request = JSON.stringify({ model: testModel, input: 'x' });
interface HeldCall {
  socket: Socket;
  response: ServerResponse;
  read(): Promise<number>;
}

interface Scene {
  scene: RelayScene;
  /** A call whose client reads nothing yet. */
  call(answer: string): Promise<HeldCall>;
}

async function arrange(use: (scene: Scene) => Promise<void>): Promise<void> {
  const open: ServerResponse[] = [];
  await using upstream = await startRawUpstream((response) => void open.push(response), { type: 'application/json' });
  await using scene = await createScene(embeddedEngine, { channels: [{ base_url: upstream.url }] });
  await use({
    scene,
    async call(answer) {
      const place = open.length;
      const socket = connect(scene.app.port, '127.0.0.1');
      await once(socket, 'connect');
      const head = ['POST /v1/embeddings HTTP/1.1', 'Host: x', `Authorization: Bearer ${scene.key}`, 'Connection: close'];
      socket.write([...head, `Content-Length: ${request.length}`, '', request].join('\r\n'));
      socket.pause();
      await until(() => open.length > place);
      const response = open[place];
      if (response === undefined) throw new Error('The upstream was not asked');
      response.end(answer);
      const read = async () => {
        let bytes = 0;
        for await (const chunk of socket) bytes += (chunk as Buffer).length;
        return bytes;
      };
      return { socket, response, read };
    },
  });
}

/** It has been looked at so often, and nothing has left. */
async function untilStill({ response }: HeldCall): Promise<void> {
  let seen = -1;
  let looks = 0;
  await until(() => {
    const written = response.socket?.bytesWritten ?? -1;
    looks = written === seen ? looks + 1 : 0;
    seen = written;
    return looks >= 50 || response.writableFinished;
  });
  expect(response.writableFinished).toBe(false);
}

test('a long answer waits in its upstream while its user does not read another one', { timeout: 60_000 }, () =>
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
  }),
);

test('a caller who leaves while the answer waits pays for what the upstream tells', { timeout: 60_000 }, () =>
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
  }),
);
