// What a client of a socket may make the server hold, and how long; who gets one at all.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { createSession, createToken } from '#tests/support/build-token.ts';
import { createScene, type RelayScene, type SceneOptions, testModel } from '#tests/support/relay-scene.ts';
import { type ConnectOptions, connectSocket, RefusedSocket, type SocketClient } from '#tests/support/socket-client.ts';
import { until } from '#tests/support/until.ts';

const path = '/v1/responses';

const open = (options: SceneOptions = {}) => createScene(embeddedEngine, options);

function connect({ app, key }: RelayScene, options: ConnectOptions = {}): Promise<SocketClient> {
  return connectSocket(`${app.origin}${path}`, { headers: { authorization: `Bearer ${key}` }, ...options });
}

async function refusalOf(work: Promise<unknown>): Promise<RefusedSocket> {
  const failure = await failureOf(work);
  if (!(failure instanceof RefusedSocket)) throw failure;
  return failure;
}

const ask = (client: SocketClient, fields: object = {}) =>
  client.send({ type: 'response.create', model: testModel, input: 'When is high water?', ...fields });

/** A connection that writes and reads only on demand. */
async function rawSocket({ app, key }: RelayScene): Promise<Socket> {
  const socket = connectTcp(app.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n` +
      `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  );
  const [head] = await once(socket, 'data');
  const accept = createHash('sha1').update('dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  expect(String(head)).toContain(`Sec-WebSocket-Accept: ${accept}`);
  socket.on('error', () => {});
  return socket;
}

/** A client that is still writing may get an error first. */
const closeOf = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

/** A frame of a client, with a mask of zeros. */
function frame(opcode: number, payload: Buffer, isLast = true): Buffer {
  const length = payload.length < 126 ? Buffer.from([0x80 | payload.length]) : Buffer.from([0xff, ...lengthBytes(payload.length)]);
  return Buffer.concat([Buffer.from([(isLast ? 0x80 : 0) | opcode]), length, Buffer.alloc(4), payload]);
}

function lengthBytes(length: number): number[] {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(length));
  return [...bytes];
}

describe('who gets a socket', () => {
  test('by the header, or by a protocol as browsers send it; one of theirs comes back', async () => {
    await using scene = await open();
    const protocols = ['realtime', `openai-insecure-api-key.${scene.key}`, 'openai-beta.responses-v1'];
    using browser = await connectSocket(`${scene.app.origin}${path}`, { protocols, origin: 'https://example.org' });
    expect(browser.socket.protocol).toBe('realtime');
    ask(browser);
    expect((await browser.response()).at(-1)).toMatchObject({ type: 'response.completed' });
    using alone = await connectSocket(`${scene.app.origin}${path}`, { protocols: [`openai-insecure-api-key.${scene.key}`] });
    ask(alone);
    expect((await alone.response()).at(-1)).toMatchObject({ type: 'response.completed' });
  });

  test('nobody without a key, with a wrong one, or by a session of the console', async () => {
    await using scene = await open();
    const session = {
      cookie: await createSession(scene.app.context, scene.user),
      origin: scene.app.origin,
      'new-api-user': String(scene.user.id),
    };
    for (const [headers, code] of [
      [{}, 'key_missing'],
      [session, 'key_missing'],
      [{ authorization: 'Bearer sk-wrong' }, 'key_invalid'],
    ] as const) {
      const refused = await refusalOf(connect(scene, { headers }));
      expect(refused).toMatchObject({ status: 401, body: { error: { code, type: 'new_api_error' } } });
      expect(refused.headers['x-request-id']).toBeDefined();
    }
    expect(await refusalOf(connectSocket(`${scene.app.origin}/v1/nothing`))).toMatchObject({
      status: 404,
      body: { error: { code: 'invalid_url' } },
    });
  });

  test('so many of one user, and others besides; whoever closes one may open another', async () => {
    await using scene = await open({ env: { MAX_SOCKETS_PER_USER: '2' } });
    using _first = await connect(scene);
    const second = await connect(scene);
    const refused = await refusalOf(connect(scene));
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'too_many_sockets' } } });
    expect(refused.headers['retry-after']).toBe('60');
    const other = await scene.app.createUser({ quota: 1_000_000 });
    const { key } = await createToken(scene.app.context, other.id);
    using _theirs = await connect(scene, { headers: { authorization: `Bearer ${key}` } });
    second.socket.close();
    await second.closed;
    using _third = await connect(scene);
  });

  test('one user leaves places to others when few are free; then nobody gets one, and HTTP serves on', async () => {
    await using scene = await open({ env: { MAX_SOCKETS_MB: '1', MAX_SOCKETS_PER_USER: '100' } });
    const places = 25;
    using all = new DisposableStack();
    const fill = async (options: ConnectOptions = {}): Promise<[number, RefusedSocket]> => {
      for (let made = 0; ; made += 1) {
        try {
          all.use(await connect(scene, options));
        } catch (failure) {
          if (failure instanceof RefusedSocket) return [made, failure];
          throw failure;
        }
      }
    };
    const [own, refused] = await fill();
    expect(own).toBeGreaterThan(1);
    expect(own).toBeLessThan(places / 2);
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'too_many_sockets' } } });
    let taken = own;
    for (let users = 0; users < places && taken < places; users += 1) {
      const { id } = await scene.app.createUser({ quota: 1_000_000 });
      const { key } = await createToken(scene.app.context, id);
      const [theirs] = await fill({ headers: { authorization: `Bearer ${key}` } });
      expect(theirs).toBeGreaterThan(0);
      taken += theirs;
    }
    expect(taken).toBe(places);
    const full = await refusalOf(connect(scene));
    expect(full).toMatchObject({ status: 429, body: { error: { code: 'sockets_full' } } });
    expect(full.headers['retry-after']).toBe('60');
    expect((await scene.post('/v1/responses', { model: testModel, input: 'Hi' })).status).toBe(200);
  });

  test('what is no handshake is refused over HTTP; another protocol is not heeded', async () => {
    await using scene = await open();
    for (const headers of ['Sec-WebSocket-Version: 7', 'Sec-WebSocket-Key: x']) {
      const socket = connectTcp(scene.app.port, '127.0.0.1');
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nAuthorization: Bearer ${scene.key}\r\n${headers}\r\n\r\n`,
      );
      const [head] = await once(socket, 'data');
      expect(String(head)).toMatch(/^HTTP\/1.1 4\d\d /);
      socket.destroy();
    }
    const response = await scene.post('/v1/chat/completions', { model: testModel, messages: [{ role: 'user', content: 'Hi' }] });
    expect(response.status).toBe(200);
    const socket = connectTcp(scene.app.port, '127.0.0.1');
    socket.write(`GET /healthz HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade, close\r\n\r\n`);
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200 /);
    socket.destroy();
    await until(() => scene.app.app.sockets.size === 0);
  });

  test('Codex is told the tag of its models, and the name of a state that the upstream of the connection has given', async () => {
    const setting = JSON.stringify({ formats: ['openai-responses'] });
    await using scene = await open({ channels: [{ setting, priority: 9 }, { setting }] });
    const headers = { authorization: `Bearer ${scene.key}`, 'session-id': 'session-1' };
    using client = await connect(scene, { headers });
    const list = await fetch(`${scene.app.origin}/v1/models?client_version=1.0.0`, { headers });
    expect(client.headers['x-models-etag']).toBe(list.headers.get('etag'));
    expect(client.headers['x-models-etag']).toMatch(/^"/);
    const state = String(client.headers['x-codex-turn-state']);
    expect(state).toMatch(/^[\w-]{40,}$/);
    const sent = async (index: number) => (await scene.upstream.request(index)).headers['x-codex-turn-state'];
    scene.upstream.behave({ headers: { 'x-codex-turn-state': 'sticky-1' } });
    for (let turn = 0; turn < 2; turn += 1) {
      ask(client, { store: false });
      await client.response();
    }
    expect([await sent(0), await sent(1)]).toEqual([undefined, 'sticky-1']);
    // The connection is gone, and its client continues by another transport.
    client.socket.close();
    await client.closed;
    const post = async (key: string, reported: string) => {
      const body = { model: testModel, input: 'Hi', store: false };
      expect((await scene.post('/v1/responses', body, { authorization: `Bearer ${key}`, 'x-codex-turn-state': reported })).status).toBe(
        200,
      );
      return scene.upstream.requests.at(-1)?.headers['x-codex-turn-state'];
    };
    expect(await post(scene.key, state)).toBe('sticky-1');
    const stranger = await scene.app.createUser({ quota: 5_000_000 });
    expect(await post((await createToken(scene.app.context, stranger.id)).key, state)).toBeUndefined();
    // Other clients get neither header.
    using plain = await connect(scene);
    expect(plain.headers['x-codex-turn-state']).toBeUndefined();
    expect(plain.headers['x-models-etag']).toBeUndefined();
  });

  test('the state of a turn comes back, and only headers for the provider go on', async () => {
    await using scene = await open({ channels: [{ setting: JSON.stringify({ formats: ['openai-responses'] }) }] });
    using client = await connect(scene, {
      headers: {
        authorization: `Bearer ${scene.key}`,
        'openai-beta': 'responses_websockets=2026-02-06, other=1',
        'x-codex-turn-state': 'state-1',
        'session-id': 'session-1',
      },
    });
    expect(client.headers).toMatchObject({ 'x-codex-turn-state': 'state-1', 'x-request-id': expect.any(String) });
    expect(client.headers['sec-websocket-extensions']).toBeUndefined();
    ask(client);
    await client.response();
    const { headers } = await scene.upstream.request(0);
    expect(headers).toMatchObject({ 'openai-beta': 'other=1', 'session-id': 'session-1' });
    // No upstream here has given it.
    expect(headers['x-codex-turn-state']).toBeUndefined();
    expect(headers.upgrade).toBeUndefined();
  });
});

describe('what a client may send', { concurrent: true }, () => {
  test.each([
    ['in one frame', (bytes: Buffer) => [frame(1, bytes)]],
    [
      'in many',
      (bytes: Buffer) =>
        Array.from({ length: 16 }, (_, index) => frame(index === 0 ? 1 : 0, bytes.subarray(index * 100_000, (index + 1) * 100_000), false)),
    ],
  ])('a message that is too large is told so, and ends the connection: %s', async (_how, framesOf) => {
    await using scene = await open({ env: { MAX_REQUEST_BODY_MB: '1' } });
    const socket = await rawSocket(scene);
    let reported = '';
    socket.on('data', (chunk: Buffer) => (reported += chunk.toString('latin1')));
    for (const piece of framesOf(Buffer.alloc(1_600_000, 'x'))) socket.write(piece);
    await until(() => reported.includes('body_too_large'));
    await until(() => scene.app.context.bodies.bytes === 0);
    socket.destroy();
    await until(() => scene.app.app.sockets.size === 0);
    expect(reported).toContain('"status":413');
  });

  test('a message of bytes is refused', async () => {
    await using scene = await open();
    using client = await connect(scene);
    client.socket.send(Buffer.from('{}'), { binary: true });
    expect(await client.next()).toMatchObject({ type: 'error', status: 400, error: { code: 'invalid_request' } });
    expect(await client.closed).toMatchObject({ code: 1003 });
  });

  test('what has come of messages counts among the bodies of their user, and goes when they do', async () => {
    await using scene = await open({ env: { MAX_BODIES_PER_USER_MB: '1', MAX_REQUEST_BODY_MB: '1', MAX_SOCKETS_PER_USER: '24' } });
    // One largest body fits with what it becomes, and no more.
    const sockets = await Promise.all(Array.from({ length: 24 }, () => rawSocket(scene)));
    let reported = '';
    for (const socket of sockets) {
      socket.on('data', (chunk: Buffer) => (reported += chunk.toString('latin1')));
      socket.write(frame(1, Buffer.alloc(900_000, ' '), false));
    }
    await until(() => reported.includes('bodies_of_caller'));
    for (const socket of sockets) socket.destroy();
    await until(() => scene.app.context.bodies.bytes === 0 && scene.app.app.sockets.size === 0);
    expect(reported).toContain('"status":429');
  });

  test('a message that comes byte by byte is not waited for', async () => {
    await using scene = await open({ env: { CLIENT_TIMEOUT: '1', STREAM_KEEPALIVE: '60' } });
    const socket = await rawSocket(scene);
    socket.write(frame(1, Buffer.from('{"type"'), false));
    const timer = setInterval(() => socket.write(frame(0, Buffer.from(' '), false)), 100);
    await closeOf(socket);
    clearInterval(timer);
    await until(() => scene.app.context.bodies.bytes === 0);
    expect(scene.upstream.requests).toHaveLength(0);
  });

  test('who asks for signs of life without end and reads none is cut off before they fill the memory', async () => {
    await using scene = await open();
    const socket = await rawSocket(scene);
    socket.pause();
    const pings = Buffer.concat(Array.from({ length: 4_000 }, () => frame(9, Buffer.alloc(125))));
    for (let sent = 0; sent < 100; sent += 1) socket.write(pings);
    await closeOf(socket);
    expect(socket.bytesWritten).toBeLessThan(30_000_000);
    await until(() => scene.app.app.sockets.size === 0);
  });

  test('signs of life do not count as messages', async () => {
    await using scene = await open({ env: { MAX_REQUEST_BODY_MB: '1' } });
    const socket = await rawSocket(scene);
    socket.resume();
    for (let index = 0; index < 200; index += 1) socket.write(frame(0xa, Buffer.alloc(100)));
    socket.write(frame(9, Buffer.from('x')));
    await until(() => scene.app.context.bodies.bytes <= 8);
    expect(scene.app.app.sockets.size).toBe(1);
    socket.destroy();
  });
});

describe('who is gone or does not read', () => {
  test('a silent client is asked, and one that does not answer is gone', async () => {
    await using scene = await open({ env: { STREAM_KEEPALIVE: '1', CLIENT_TIMEOUT: '3' } });
    using living = await connect(scene);
    let pings = 0;
    living.socket.on('ping', () => (pings += 1));
    // It answers nothing, as a connection that is open at one end alone.
    const dead = await rawSocket(scene);
    const received: Buffer[] = [];
    dead.on('data', (chunk: Buffer) => received.push(chunk));
    await closeOf(dead);
    expect(Buffer.concat(received)[0]).toBe(0x89);
    await until(() => pings >= 2);
    expect(living.socket.readyState).toBe(living.socket.OPEN);
    await until(() => scene.app.app.sockets.size === 1);
  });

  test('a client that does not read pauses its upstream, is cut off, and pays for what came', async () => {
    await using scene = await open({ env: { CLIENT_TIMEOUT: '2' } });
    scene.upstream.behave({ repeat: { text: 'wave '.repeat(2_000), times: 20_000 } });
    const socket = await rawSocket(scene);
    socket.pause();
    socket.write(frame(1, Buffer.from(JSON.stringify({ type: 'response.create', model: testModel, input: 'x' }))));
    const request = await scene.upstream.request(0);
    expect(await request.closed).toBe('aborted');
    expect(request.eventsSent).toBeLessThan(20_000);
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending: 'client_closed' });
    expect(row?.quota).toBeGreaterThan(0);
    await scene.checkBooks();
    socket.destroy();
  });
});

test('a conversation that is beyond what is remembered is not found', async () => {
  await using scene = await open();
  using client = await connect(scene);
  ask(client, { store: false });
  const first = (await client.response()).at(-1)?.['response'].id;
  for (let turn = 0; turn < 64; turn += 1) {
    ask(client, { generate: false });
    await client.response();
  }
  ask(client, { previous_response_id: first });
  expect(await client.response()).toMatchObject([{ type: 'error', status: 400, error: { code: 'previous_response_not_found' } }]);
});
