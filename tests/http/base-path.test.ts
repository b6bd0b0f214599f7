// A site below a path of its host: BASE_PATH=/ai.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createClient } from '#tests/support/http-client.ts';
import { createScene, type RelayScene, setOption } from '#tests/support/relay-scene.ts';
import { connectSocket } from '#tests/support/socket-client.ts';

const [engine] = oneEngine;
if (engine === undefined) throw new Error('No engine to test on');
let scene: RelayScene;
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tidegate-base-'));
  await writeFile(path.join(folder, 'index.html'), '<!doctype html><html lang="zh-CN"><link rel="icon" href="/favicon.svg"></html>');
  await writeFile(
    path.join(folder, 'manifest.webmanifest'),
    JSON.stringify({ id: '/', name: 'T', short_name: 'T', start_url: '/', icons: [{ src: '/i.png' }] }),
  );
  scene = await createScene(engine, { env: { BASE_PATH: '/ai' }, consoleFolder: folder });
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

test('the relay answers below the path, and at the root for proxies that strip it', async () => {
  for (const base of ['/ai', '']) {
    const response = await scene.post(`${base}/v1/chat/completions`, { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'x' }] });
    expect([base, response.status]).toEqual([base, 200]);
    await response.text();
  }
  using client = await connectSocket(`${scene.app.origin}/ai/v1/responses`, { headers: { authorization: `Bearer ${scene.key}` } });
  client.send({ type: 'response.create', model: 'gpt-4o-mini', input: 'x' });
  expect((await client.response()).at(-1)).toMatchObject({ type: 'response.completed' });
});

test('a request in absolute form, as proxies send it, is below the path as well', async () => {
  const statusOf = (target: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      request(scene.app.origin, { path: target }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
  for (const target of ['/ai/api/status', 'http://other.example/ai/api/status', 'http://other.example/api/status'])
    expect([target, await statusOf(target)]).toEqual([target, 200]);
  expect(await statusOf('http://other.example/ai')).toBe(308);
});

test('errors below the path have the format of their callers', async () => {
  const client = scene.app.anonymous();
  expect(await client.get('/ai/v1/nothing')).toMatchObject({
    status: 404,
    body: { error: { message: expect.stringContaining('(GET /v1/nothing)') } },
  });
  expect(await client.get('/ai/api/nothing')).toMatchObject({ status: 404, body: { success: false } });
});

test('the page, its addresses and the web app manifest are below the path', async () => {
  const client = scene.app.anonymous();
  const navigated = { headers: { 'sec-fetch-mode': 'navigate' } };
  for (const address of ['/ai/', '/ai/log', '/ai/index.html']) {
    const page = await client.get(address, navigated);
    expect([address, page.status, String(page.body)]).toEqual([address, 200, expect.stringContaining('data-base="/ai"')]);
    expect(String(page.body)).toContain('href="/ai/favicon.svg"');
  }
  expect(await client.get('/ai?from=mail', navigated)).toMatchObject({ status: 308, headers: { location: '/ai/?from=mail' } });
  const manifest = await client.get('/ai/manifest.webmanifest');
  expect(manifest.body).toMatchObject({ id: '/ai/', start_url: '/ai/', icons: [{ src: '/ai/i.png' }] });
});

test('cookies are below the path, and addresses in answers have it, however the site’s address was entered', async () => {
  const user = await scene.app.createUser({ username: 'mei' });
  const client = createClient(scene.app.origin);
  const signedIn = await client.post('/ai/api/user/login', { username: user.username, password: 'correct horse' });
  expect(String(signedIn.headers['set-cookie'])).toMatch(/^session=\w{43}; Path=\/ai; /);
  for (const entered of ['https://tides.example', 'https://tides.example/', 'https://tides.example/ai']) {
    await setOption(scene.app, 'ServerAddress', entered);
    expect((await client.get('/ai/api/status')).data.server_address).toBe('https://tides.example/ai');
  }
  await setOption(scene.app, 'GitHubClientId', 'id');
  await setOption(scene.app, 'GitHubClientSecret', 'secret');
  await setOption(scene.app, 'GitHubOAuthEnabled', 'true');
  const begun = await createClient(scene.app.origin).post('/ai/api/oauth/start', { provider: 'github' });
  expect(new URL(begun.data.url).searchParams.get('redirect_uri')).toBe('https://tides.example/ai/oauth/github');
  expect(String(begun.headers['set-cookie'])).toContain('; Path=/ai/api/oauth; ');
});
