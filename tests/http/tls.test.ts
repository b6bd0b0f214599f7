// A server that encrypts its connections itself.
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { type DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEnv } from '#server/env.ts';
import { serve, type Serving } from '#server/serve.ts';
import { connectSocket } from '#tests/support/socket-client.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url));
let folder = '';
let serving: Serving;
const agents: Agent[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tidegate-tls-'));
  await put('localhost.pem', 'localhost-key.pem');
  const env = { DATABASE_URL: `file:${folder}/t.db`, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent', SHUTDOWN_GRACE: '1' };
  serving = await serve(readEnv({ ...env, TLS_CERT: `${folder}/cert.pem`, TLS_KEY: `${folder}/key.pem` }));
});
afterAll(async () => {
  for (const agent of agents) agent.destroy();
  await serving.stop();
  await rm(folder, { recursive: true, force: true });
});

async function put(cert: string, key: string): Promise<void> {
  await copyFile(fixture(cert), `${folder}/cert.pem`);
  await copyFile(fixture(key), `${folder}/key.pem`);
}

/** A client of one connection. */
function createConnection() {
  // Which certificate is used is what the tests look at.
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  agents.push(agent);
  return async (target: string, { method = 'GET', body }: { method?: string; body?: object } = {}) => {
    const sent = request({
      agent,
      host: '127.0.0.1',
      port: serving.port,
      path: target,
      method,
      headers: { 'content-type': 'application/json' },
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response]: [IncomingMessage] = (await once(sent, 'response')) as [IncomingMessage];
    const { socket } = response;
    const certificate: DetailedPeerCertificate | null = socket instanceof TLSSocket ? socket.getPeerCertificate(true) : null;
    return { status: response.statusCode, headers: response.headers, text: await text(response), name: certificate?.subject.CN };
  };
}

test('calls are served over TLS, and the session cookie is secure', async () => {
  const ask = createConnection();
  expect(await ask('/healthz')).toMatchObject({ status: 200, name: 'localhost' });
  const account = { username: 'root', password: 'correct horse', confirmPassword: 'correct horse' };
  expect(await ask('/api/setup', { method: 'POST', body: account })).toMatchObject({ status: 200 });
  const signedIn = await ask('/api/user/login', { method: 'POST', body: { username: 'root', password: 'correct horse' } });
  expect(signedIn.headers['set-cookie']?.[0]).toMatch(/; Secure$/);
});

test('a WebSocket reaches the gate over TLS', async () => {
  const refused = connectSocket(`https://127.0.0.1:${serving.port}/v1/responses`, {
    rejectUnauthorized: false,
    headers: { authorization: 'Bearer sk-none' },
  });
  await expect(refused).rejects.toMatchObject({ status: 401 });
});

test('a client without TLS is disconnected, and harms no other', async () => {
  const sent = plainRequest({ host: '127.0.0.1', port: serving.port, path: '/healthz' }).end();
  await expect(once(sent, 'response')).rejects.toThrow();
  expect(await createConnection()('/healthz')).toMatchObject({ status: 200 });
});

test('a new pair serves new connections, open ones stay, and a broken pair changes nothing', async () => {
  const before = createConnection();
  expect(await before('/healthz')).toMatchObject({ name: 'localhost' });
  await put('other.pem', 'other-key.pem');
  await serving.reload();
  expect(await createConnection()('/healthz')).toMatchObject({ status: 200, name: 'second.test' });
  await put('other.pem', 'localhost-key.pem');
  await serving.reload();
  expect(await createConnection()('/healthz')).toMatchObject({ status: 200, name: 'second.test' });
  expect(await before('/healthz')).toMatchObject({ status: 200, name: 'localhost' });
});
