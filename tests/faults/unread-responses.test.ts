// Clients that stop reading, whatever they were reading, and one that only reads slowly.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { embeddedEngine, engines } from '#tests/support/engines.ts';
import { createScene, testModel } from '#tests/support/relay-scene.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const env = { CLIENT_TIMEOUT: '1' };
/** More than what the system holds for a connection on both sides. */
const large = 30_000_000;

/** A client that sends a request and reads nothing. */
async function ask(port: number, head: string, body = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.pause();
  // A connection that is cut off is what is waited for.
  socket.on('error', () => {});
  socket.write(`${head}\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  return socket;
}

const call = (key: string, stream: boolean) => {
  const body = JSON.stringify({ model: testModel, stream, messages: [{ role: 'user', content: 'go' }] });
  return [`POST /v1/chat/completions HTTP/1.1\r\nAuthorization: Bearer ${key}`, body] as const;
};

describe.each(engines)('answers that nobody reads on $kind', (engine) => {
  test('a whole answer does not hold its connection for ever', async () => {
    await using scene = await createScene(engine, { env });
    scene.upstream.behave({ text: 'x'.repeat(large) });
    const socket = await ask(scene.app.port, ...call(scene.key, false));
    expect(await scene.logs(1)).toHaveLength(1);
    await until(async () => (await scene.app.connections()) === 0);
    expect(socket.bytesRead).toBeLessThan(large);
    socket.destroy();
    await scene.checkBooks();
  });

  test('a stream ends as if its client had left', async () => {
    await using scene = await createScene(engine, { env });
    scene.upstream.behave({ repeat: { text: 'x'.repeat(100_000), times: 1_000 } });
    const socket = await ask(scene.app.port, ...call(scene.key, true));
    expect(await (await scene.upstream.request(0)).closed).toBe('aborted');
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending: 'client_closed' });
    await until(async () => (await scene.app.connections()) === 0);
    socket.destroy();
    await scene.checkBooks();
  });

  test('a slow reader gets all of it, however long it takes', async () => {
    await using scene = await createScene(engine, { env: { CLIENT_TIMEOUT: '3' } });
    scene.upstream.behave({ text: 'x'.repeat(large) });
    const socket = await ask(scene.app.port, ...call(scene.key, false));
    let size = 0;
    let last = '';
    socket.on('data', (chunk: Buffer) => {
      size += chunk.length;
      last = chunk.subarray(-20).toString();
      socket.pause();
      // Some seconds in all: longer than what is allowed without progress.
      setTimeout(() => socket.resume(), 8);
    });
    socket.resume();
    await until(() => socket.closed || (size > large && last.endsWith('}')), 60_000);
    expect({ isCut: socket.closed, isWhole: size > large }).toEqual({ isCut: false, isWhole: true });
    socket.destroy();
  });
});

// Of these two no database knows.
const isFirst = engines.includes(embeddedEngine);

test.runIf(isFirst)('a slow and steady reader is no stuck one, although the system asks for nothing new for a long time', async () => {
  await using scene = await createScene(embeddedEngine, { env: { CLIENT_TIMEOUT: '3' } });
  scene.upstream.behave({ text: 'x'.repeat(large) });
  const [slow, stuck] = await Promise.all([1, 2].map(() => ask(scene.app.port, ...call(scene.key, false))));
  if (slow === undefined || stuck === undefined) throw new Error('There is no client');
  // 240 kB a second: the system wants more after some six. It acknowledges data in sixteenths of a buffer, which may have grown to many megabytes: a
  // slower reader would look like a stuck one.
  let size = 0;
  const reading = setInterval(() => (size += (slow.read(24_000) ?? slow.read() ?? '').length), 100);
  await until(() => size > 0 && stuck.bytesRead > 0);
  await until(async () => (await scene.app.connections()) === 1);
  const before = size;
  // Twice as long as one that takes nothing is waited for.
  await until(() => size - before >= 1_440_000 || slow.closed);
  expect({ isCut: slow.closed, connections: await scene.app.connections() }).toEqual({ isCut: false, connections: 1 });
  clearInterval(reading);
  await until(async () => (await scene.app.connections()) === 0);
  for (const socket of [slow, stuck]) socket.destroy();
});

test.runIf(isFirst)('a file that nobody reads does not hold its connection for ever', async () => {
  const consoleFolder = await mkdtemp(path.join(tmpdir(), 'tidegate-console-'));
  await writeFile(path.join(consoleFolder, 'large.png'), Buffer.alloc(large));
  await using app = await createTestApp(embeddedEngine, { env, consoleFolder });
  const socket = await ask(app.port, 'GET /large.png HTTP/1.1');
  await until(async () => (await app.connections()) === 1);
  await until(async () => (await app.connections()) === 0);
  expect(socket.bytesRead).toBeLessThan(large);
  socket.destroy();
  await rm(consoleFolder, { recursive: true });
});
