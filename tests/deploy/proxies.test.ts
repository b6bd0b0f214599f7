// The examples in deploy/ for reverse proxies, run by the programs of Debian's packages. Without a program its tests are skipped; in CI they fail.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testPassword } from '#tests/support/test-app.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { freePort } from '#tests/support/free-port.ts';
import { createScene, type RelayScene, testModel } from '#tests/support/relay-scene.ts';
import { connectSocket } from '#tests/support/socket-client.ts';
import { until } from '#tests/support/until.ts';

const [engine] = oneEngine;
if (engine === undefined) throw new Error('No engine to test on');
const root = path.resolve(import.meta.dirname, '../..');
const tls = path.join(root, 'tests/fixtures/tls');
/** Clients are somewhere else than the proxy. */
const clientAddress = '127.0.0.2';
const largeBytes = 4_000_000;

interface Place {
  folder: string;
  port: number;
  /** `host:port` of Tidegate. */
  upstream: string;
}

interface Proxy {
  name: string;
  command: string;
  /** Writes the configuration; returns the arguments and the environment of the program. */
  prepare(place: Place): { args: string[]; env?: Record<string, string> };
}

/** An example with other values, each of which it must contain. */
function example(file: string, values: readonly (readonly [string, string])[]): string {
  let config = readFileSync(path.join(root, 'deploy', file), 'utf8');
  for (const [former, now] of values) {
    if (!config.includes(former)) throw new Error(`deploy/${file} does not contain ${former}`);
    config = config.replaceAll(former, now);
  }
  return config;
}

const proxies: readonly Proxy[] = [
  {
    name: 'nginx',
    command: 'nginx',
    prepare({ folder, port, upstream }) {
      const site = example('nginx/tidegate.conf', [
        ['server 127.0.0.1:3000;', `server ${upstream};`],
        ['listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`],
        ['    listen [::]:443 ssl http2;\n', ''],
        ['/etc/letsencrypt/live/ai.example.com/fullchain.pem', path.join(tls, 'localhost.pem')],
        ['/etc/letsencrypt/live/ai.example.com/privkey.pem', path.join(tls, 'localhost-key.pem')],
      ]);
      writeFileSync(path.join(folder, 'site.conf'), site);
      const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ');
      writeFileSync(
        path.join(folder, 'nginx.conf'),
        `daemon off; master_process off; pid ${folder}/pid; error_log stderr;\nevents {}\nhttp { access_log off; ${folders} include ${folder}/site.conf; }\n`,
      );
      return { args: ['-p', folder, '-e', 'stderr', '-c', path.join(folder, 'nginx.conf')] };
    },
  },
  {
    name: 'Caddy',
    command: 'caddy',
    prepare({ folder, port, upstream }) {
      const certificate = `\ttls ${path.join(tls, 'localhost.pem')} ${path.join(tls, 'localhost-key.pem')}\n`;
      const site = example('caddy/Caddyfile', [['{$SITE:ai.example.com} {\n', `{$SITE:ai.example.com} {\n${certificate}`]]);
      writeFileSync(path.join(folder, 'Caddyfile'), `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
      const env = { SITE: `https://localhost:${port}`, TIDEGATE: upstream, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
      return { args: ['run', '--config', path.join(folder, 'Caddyfile'), '--adapter', 'caddyfile'], env };
    },
  },
  {
    name: 'HAProxy',
    command: 'haproxy',
    prepare({ folder, port, upstream }) {
      const pem = path.join(folder, 'site.pem');
      writeFileSync(pem, ['localhost.pem', 'localhost-key.pem'].map((name) => readFileSync(path.join(tls, name), 'utf8')).join('\n'));
      const config = example('haproxy/haproxy.cfg', [
        ['bind :443 ssl crt /etc/haproxy/certs/ai.example.com.pem', `bind 127.0.0.1:${port} ssl crt ${pem}`],
        ['server one 127.0.0.1:3000', `server one ${upstream}`],
      ]);
      writeFileSync(path.join(folder, 'haproxy.cfg'), config);
      return { args: ['-db', '-f', path.join(folder, 'haproxy.cfg')] };
    },
  },
];

let scene: RelayScene;
beforeAll(async () => {
  // Without keep-alive signs, which would report that the client has left only later.
  scene = await createScene(engine, { env: { TRUSTED_PROXIES: '127.0.0.1', STREAM_KEEPALIVE: '3600' } });
});
afterAll(() => scene[Symbol.asyncDispose]());

for (const proxy of proxies) {
  const isMissing = spawnSync(proxy.command, ['-v']).error !== undefined;
  if (isMissing && process.env['CI'] !== undefined) throw new Error(`${proxy.command} is not installed: .ci/run installs it`);
  describe.skipIf(isMissing)(`Tidegate behind ${proxy.name}, by its example`, () => {
    const folder = mkdtempSync(path.join(tmpdir(), `tidegate-${proxy.command}-`));
    let port = 0;
    let stop: () => Promise<unknown> = async () => undefined;
    let agent: Agent;

    beforeAll(async () => {
      port = await freePort();
      mkdirSync(folder, { recursive: true });
      const { args, env = {} } = proxy.prepare({ folder, port, upstream: `127.0.0.1:${scene.app.port}` });
      const child = spawn(proxy.command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const ended = once(child, 'exit');
      let hasEnded = false;
      void ended.then(() => (hasEnded = true));
      stop = () => {
        child.kill('SIGKILL');
        return ended;
      };
      await until(() => {
        if (hasEnded) throw new Error(`${proxy.command} ended: ${output}`);
        return isOpen(port);
      });
      agent = new Agent({
        keepAlive: true,
        ca: readFileSync(path.join(tls, 'localhost.pem')),
        servername: 'localhost',
        localAddress: clientAddress,
      });
    });
    afterAll(async () => {
      agent.destroy();
      await stop();
      rmSync(folder, { recursive: true, force: true });
    });

    const post = async (target: string, body: object, headers: Record<string, string> = {}): Promise<IncomingMessage> => {
      const sent = request({
        agent,
        host: '127.0.0.1',
        port,
        path: target,
        method: 'POST',
        headers: { host: `localhost:${port}`, 'content-type': 'application/json', authorization: `Bearer ${scene.key}`, ...headers },
      });
      sent.end(JSON.stringify(body));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return response;
    };
    const chat = (fields: object) =>
      post('/v1/chat/completions', { model: testModel, messages: [{ role: 'user', content: 'x' }], ...fields });

    test('a stream arrives as it is written, and a client that leaves ends it', async () => {
      scene.upstream.queue({ text: 'one two three four', holdAfter: 2 }, { text: 'one two three four', holdAfter: 2 });
      const first = scene.upstream.requests.length;
      const stream = await chat({ stream: true });
      let came = '';
      stream.setEncoding('utf8').on('data', (chunk: string) => (came += chunk));
      await until(() => came.includes('two'));
      const ended = once(stream, 'end');
      (await scene.upstream.request(first)).release();
      await ended;
      expect(came.trimEnd().endsWith('data: [DONE]')).toBe(true);

      const left = await chat({ stream: true });
      left.on('error', () => {});
      await once(left, 'data');
      left.destroy();
      expect(await (await scene.upstream.request(first + 1)).closed).toBe('aborted');
    });

    test('a WebSocket carries calls', async () => {
      using client = await connectSocket(`https://127.0.0.1:${port}/v1/responses`, {
        headers: { host: `localhost:${port}`, authorization: `Bearer ${scene.key}` },
        ca: readFileSync(path.join(tls, 'localhost.pem')),
        servername: 'localhost',
      });
      client.send({ type: 'response.create', model: testModel, input: 'x' });
      expect((await client.response()).at(-1)).toMatchObject({ type: 'response.completed' });
    });

    test('a large body passes', async () => {
      const content = 'tide '.repeat(largeBytes / 5);
      const response = await post('/v1/chat/completions', { model: testModel, messages: [{ role: 'user', content }] });
      await text(response);
      expect(response.statusCode).toBe(200);
      expect(JSON.stringify(scene.upstream.requests.at(-1)?.body).length).toBeGreaterThan(largeBytes);
    });

    test('the client’s address is the one that the proxy has seen, and cookies are secure', async () => {
      const user = await scene.app.createUser({ username: proxy.command });
      const signedIn = await post(
        '/api/user/login',
        { username: user.username, password: testPassword },
        { 'x-forwarded-for': '203.0.113.7' },
      );
      await text(signedIn);
      expect(signedIn.headers['set-cookie']?.[0]).toMatch(/; Secure$/);
      const [session] = await scene.app.context.db.collection('sessions').find({ user_id: user.id });
      expect(session?.ip).toBe(clientAddress);
    });
  });
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
      .on('connect', () => {
        socket.destroy();
        resolve(true);
      })
      .on('error', () => resolve(false));
  });
}
