import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { type BodySource, LeanBody } from './lean-body.ts';

const source: BodySource = { pause() {}, resume() {}, disconnected() {} };

/** Raw bytes that a client with that request receives until the server closes the connection. */
async function received(request: string, write: (body: LeanBody, nextTurn: () => Promise<void>) => Promise<void>): Promise<string> {
  await using server = createServer((_request, response) => {
    const body = new LeanBody(source);
    response.sendDate = false;
    response.writeHead(200, { 'content-type': 'text/plain', connection: 'close' });
    body.pipe(response);
    void write(body, () => new Promise((resolve) => setImmediate(resolve)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const client = connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1');
  client.setEncoding('latin1');
  let bytes = '';
  client.on('data', (text: string) => (bytes += text));
  client.write(request);
  await once(client, 'close');
  return bytes;
}

async function writeTwice(body: LeanBody, nextTurn: () => Promise<void>): Promise<void> {
  body.write(Buffer.from('one '));
  body.write(Buffer.from('chunk, '));
  await nextTurn();
  body.write(Buffer.alloc(0));
  await nextTurn();
  body.write(Buffer.from('another'));
  body.end();
}

test('lean body: writes of one turn are one chunk, and the last one ends the body', async () => {
  const bytes = await received('GET / HTTP/1.1\r\nhost: a\r\n\r\n', writeTwice);
  expect(bytes.slice(bytes.indexOf('\r\n\r\n') + 4)).toBe('b\r\none chunk, \r\n7\r\nanother\r\n0\r\n\r\n');
  expect(bytes).toMatch(/transfer-encoding: chunked\r\n/i);
});

test('lean body: one without bytes ends at once', async () => {
  const bytes = await received('GET / HTTP/1.1\r\nhost: a\r\n\r\n', async (body, nextTurn) => {
    await nextTurn();
    body.flushHeaders();
    await nextTurn();
    body.end();
  });
  expect(bytes.slice(bytes.indexOf('\r\n\r\n') + 4)).toBe('0\r\n\r\n');
});

test('lean body: a client of HTTP/1.0 gets no chunks', async () => {
  const bytes = await received('GET / HTTP/1.0\r\n\r\n', writeTwice);
  expect(bytes.slice(bytes.indexOf('\r\n\r\n') + 4)).toBe('one chunk, another');
  expect(bytes).not.toMatch(/transfer-encoding/i);
});
