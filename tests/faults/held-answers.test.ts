// Long answers that their callers do not read: they fill what is there for one user's answers, and what comes next waits upstream.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene, testModel } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

const pad = 'x'.repeat(90 * 1024 * 1024);
const answer = `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5]}],"pad":"${pad}","usage":{"prompt_tokens":7,"total_tokens":7}}`;
const request = JSON.stringify({ model: testModel, input: 'x' });
const [engine] = engines;

test.skipIf(engine === undefined)(
  'a long answer waits in its upstream while its user does not read another one',
  async () => {
    if (engine === undefined) return;
    const open: ServerResponse[] = [];
    await using upstream = await startRawUpstream((response) => void open.push(response), { type: 'application/json' });
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }] });
    /** A call whose client reads nothing yet. */
    const call = async () => {
      const place = open.length;
      const socket = connect(scene.app.port, '127.0.0.1');
      await once(socket, 'connect');
      const head = ['POST /v1/embeddings HTTP/1.1', 'Host: x', `Authorization: Bearer ${scene.key}`, 'Connection: close'];
      socket.write([...head, `Content-Length: ${request.length}`, '', request].join('\r\n'));
      socket.pause();
      await until(() => open.length > place);
      const response = open[place];
      response?.end(answer);
      const read = async () => {
        let bytes = 0;
        for await (const chunk of socket) bytes += (chunk as Buffer).length;
        return bytes;
      };
      return { response, read };
    };
    const first = await call();
    await until(() => first.response?.writableFinished === true);
    const second = await call();
    // It stands still: it has been looked at so often, and nothing has left.
    let seen = -1;
    let looks = 0;
    await until(() => {
      const written = second.response?.socket?.bytesWritten ?? -1;
      looks = written === seen ? looks + 1 : 0;
      seen = written;
      return looks >= 50 || second.response?.writableFinished === true;
    });
    expect(second.response?.writableFinished).toBe(false);
    expect(await first.read()).toBeGreaterThan(answer.length);
    expect(await second.read()).toBeGreaterThan(answer.length);
    const rows = await scene.logs(2);
    expect(rows.map((row) => row.prompt_tokens)).toEqual([7, 7]);
    await scene.checkBooks();
  },
  60_000,
);
