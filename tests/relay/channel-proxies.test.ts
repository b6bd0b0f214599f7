// Calls through the proxy of their channel: spoken to in the open, over TLS, or by SOCKS5, with a user and a password, on the way to
// providers in the open and over TLS.
import { request as requestHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { startFakeRealtime } from '#tests/support/fake-realtime.ts';
import { startConnectProxy, startSocksProxy } from '#tests/support/http-proxy.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { connectSocket } from '#tests/support/socket-client.ts';
import { localhostTls, trustLocalhost } from '#tests/support/trust-localhost.ts';

const access = { user: 'tide', password: 'p@ss word' };
const login = `${access.user}:${encodeURIComponent(access.password)}`;
const kinds = [
  ['http', '127.0.0.1', () => startConnectProxy(access)],
  ['https', 'localhost', () => startConnectProxy(access, localhostTls)],
  ['socks5', '127.0.0.1', () => startSocksProxy(access)],
] as const;

describe.each(oneEngine)('proxies of channels on $kind', (engine) => {
  let distrust: () => void;
  beforeAll(() => {
    distrust = trustLocalhost();
  });
  afterAll(() => distrust());

  test.each(kinds)('%s: whole responses and streams go through it, and nothing goes past it', async (scheme, host, start) => {
    await using proxy = await start();
    const setting = JSON.stringify({ proxy: `${scheme}://${login}@${host}:${proxy.port}` });
    for (const isTls of [false, true]) {
      await using scene = await createScene(engine, { channels: [] });
      await using front = await startTlsFront(scene.upstream.url);
      const base_url = isTls ? front.url : scene.upstream.url;
      await scene.addChannel({ setting, base_url });
      proxy.passed.length = 0;
      expect((await scene.chat()).status).toBe(200);
      expect(await (await scene.chat({ stream: true })).text()).toContain('[DONE]');
      expect(new Set(proxy.passed)).toEqual(new Set([new URL(base_url).host]));
      expect(scene.upstream.requests.map(({ headers }) => headers['proxy-authorization'])).toEqual([undefined, undefined]);
      await scene.logs(2);
      await scene.checkBooks();
    }
  });

  test.each(kinds)('%s: realtime sessions go through it, and nothing goes past it', async (scheme, host, start) => {
    await using proxy = await start();
    const setting = JSON.stringify({ proxy: `${scheme}://${login}@${host}:${proxy.port}` });
    await using upstream = await startFakeRealtime();
    await using front = await startTlsPipe(Number(new URL(upstream.url).port));
    const settings = { ModelRatio: JSON.stringify({ 'gpt-realtime': 2 }) };
    for (const base_url of [upstream.url, front.url]) {
      await using scene = await createScene(engine, { channels: [{ setting, base_url, models: 'gpt-realtime' }], settings });
      proxy.passed.length = 0;
      const headers = { authorization: `Bearer ${scene.key}` };
      using client = await connectSocket(`${scene.app.origin}/v1/realtime?model=gpt-realtime`, { headers });
      client.send({ type: 'response.create' });
      while ((await client.next())['type'] !== 'response.done');
      expect(proxy.passed).toEqual([new URL(base_url).host]);
      const { request } = upstream.peers.at(-1) ?? {};
      expect(request?.headers).toMatchObject({ authorization: 'Bearer sk-test', upgrade: 'websocket' });
      expect(request?.headers['proxy-authorization']).toBeUndefined();
      await scene.logs(1);
      await scene.checkBooks();
    }
  });

  test.each(kinds)(
    '%s: one that turns the channel away fails the call, and its password is told to nobody',
    async (scheme, host, start) => {
      await using proxy = await start();
      await using scene = await createScene(engine, { channels: [], settings: { RetryTimes: '0' } });
      await using front = await startTlsFront(scene.upstream.url);
      const setting = JSON.stringify({ proxy: `${scheme}://${access.user}:wrong-secret@${host}:${proxy.port}` });
      await scene.addChannel({ setting, base_url: front.url });
      const response = await scene.chat();
      expect(response.status).toBeGreaterThanOrEqual(500);
      expect(await response.text()).not.toMatch(/wrong-secret|127\.0\.0\.1|localhost/);
      expect(proxy.refused).toBeGreaterThan(0);
      expect(scene.upstream.requests).toHaveLength(0);
      const rows = await scene.app.context.db.collection('logs').find({});
      expect(JSON.stringify(rows)).not.toContain('wrong-secret');
      await scene.checkBooks();
    },
  );
});

/** The same of connections that are not only requests. */
async function startTlsPipe(port: number): Promise<AsyncDisposable & { url: string }> {
  const open = new Set<Socket>();
  const server = createTls(localhostTls, (inbound) => {
    const onward = connect(port, '127.0.0.1');
    for (const socket of [inbound, onward]) {
      open.add(socket);
      socket.on('error', () => {}).on('close', () => open.delete(socket));
    }
    inbound.pipe(onward).pipe(inbound);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** The upstream over TLS. */
async function startTlsFront(target: string): Promise<AsyncDisposable & { url: string }> {
  const server = createHttps(localhostTls, (request, response) => {
    const { method = 'GET', headers, url = '/' } = request;
    const onward = requestHttp(`${target}${url}`, { method, headers, agent: false }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
