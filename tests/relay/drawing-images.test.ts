// Pictures served by this site: a client with the address gets the picture, and nothing else.
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildTask } from '#tests/support/build-task.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { type FakeInternet, publicAddress, publicName, startFakeInternet } from '#tests/support/fake-internet.ts';
import { trustLocalhost } from '#tests/support/trust-localhost.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

afterAll(trustLocalhost());

const png = Buffer.from('89504e470d0a1a0a', 'hex');

describe('pictures of drawings', () => {
  let app: TestApp;
  let internet: FakeInternet;
  let nextId = 0;
  beforeAll(async () => {
    internet = await startFakeInternet();
    app = await createTestApp(embeddedEngine, { network: internet.network, env: { TRUSTED_PROXIES: '127.0.0.1' } });
  });
  afterAll(async () => {
    await app.close();
    await internet[Symbol.asyncDispose]();
  });

  async function store(url: string, fields: object = {}): Promise<string> {
    const id = (nextId += 1);
    await app.context.db.collection('tasks').insert(buildTask({ id, upstream_id: `pic-${id}`, image_url: url, ...fields }));
    return `${app.origin}/mj/image/pic-${id}?rand=1`;
  }
  const picture = async (url: string, fields: object = {}) => fetch(await store(url, fields));

  it('are shown with their type, to be kept once they are done', async () => {
    internet.serve((_visit, response) =>
      response.writeHead(200, { 'content-type': 'image/png; charset=binary', 'set-cookie': 'a=b' }).end(png),
    );
    const done = await picture(`https://${publicName}/a.png?sig=1`);
    expect(done.status).toBe(200);
    expect(Object.fromEntries(done.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'public, max-age=86400',
    });
    expect(done.headers.get('set-cookie')).toBeNull();
    expect(Buffer.from(await done.arrayBuffer())).toEqual(png);
    expect(internet.visits.at(-1)?.path).toBe('/a.png?sig=1');
    expect(internet.visits.at(-1)?.headers).not.toHaveProperty('authorization');
    const running = await picture(`https://${publicName}/b.png`, { status: 'IN_PROGRESS' });
    expect(running.headers.get('cache-control')).toBe('no-store');
  });

  it.each(['text/html', 'image/svg+xml', 'application/javascript', 'text/plain'])('%s is no picture', async (type) => {
    internet.serve((_visit, response) => response.writeHead(200, { 'content-type': type }).end('<script>alert(1)</script>'));
    const answer = await picture(`https://${publicName}/x`);
    expect(answer.status).toBe(502);
    expect(await answer.json()).toEqual({ error: 'http_get_image_failed' });
  });

  it.each([
    ['a private address', 'https://10.0.0.1/x.png'],
    ['the address of cloud metadata', 'https://169.254.169.254/x.png'],
    ['a name of a private address', 'https://inside.example/x.png'],
    ['no TLS', `http://${publicName}/x.png`],
  ])('%s is not asked', async (_what, url) => {
    internet.name('inside.example', ['192.168.1.9']);
    const before = internet.connections.length;
    const answer = await picture(url);
    expect(answer.status).toBe(502);
    expect(await answer.json()).toEqual({ error: 'http_get_image_failed' });
    expect(internet.connections).toHaveLength(before);
  });

  it('a redirect to a private address is not followed', async () => {
    internet.serve((_visit, response) => response.writeHead(302, { location: 'https://127.0.0.1/x.png' }).end());
    expect((await picture(`https://${publicName}/x.png`)).status).toBe(502);
    expect(internet.connections.at(-1)).toBe(`${publicAddress}:443`);
  });

  it('what is too large is not passed on, and a refusal is told by its status alone', async () => {
    const large = Buffer.alloc(21 * 1024 * 1024);
    internet.serve((_visit, response) =>
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': large.length }).end(large),
    );
    expect((await picture(`https://${publicName}/large.png`)).status).toBe(502);
    internet.serve((_visit, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(large));
    await expect((await picture(`https://${publicName}/without-a-length.png`)).arrayBuffer()).rejects.toThrow('terminated');
    internet.serve((_visit, response) => response.writeHead(403, { 'content-type': 'text/html' }).end('the secret of the bucket'));
    const refused = await picture(`https://${publicName}/x.png`);
    expect(refused.status).toBe(403);
    expect(await refused.text()).toBe('{"error":"http_get_image_failed"}');
  });

  it('one that breaks off is not shown as a whole one, and what is packed is refused', async () => {
    const head = { 'content-type': 'image/png' };
    internet.serve((_visit, response) => {
      response.writeHead(200, { ...head, 'content-length': '1000' }).write(png, () => response.socket?.destroy());
    });
    const broken = await picture(`https://${publicName}/x.png`);
    await expect(broken.arrayBuffer()).rejects.toThrow('terminated');
    internet.serve((_visit, response) => response.writeHead(200, { ...head, 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1e6))));
    expect((await picture(`https://${publicName}/x.png`)).status).toBe(502);
  });

  it('to those who do not read costs no memory, and nobody else waits for them', async () => {
    const part = Buffer.alloc(64 * 1024);
    internet.serve((_visit, response) => {
      response.writeHead(200, { 'content-type': 'image/png' });
      Readable.from(Array.from({ length: 300 }, () => part)).pipe(response);
    });
    const before = process.memoryUsage().arrayBuffers;
    const url = await store(`https://${publicName}/x.png`);
    const leaving = new AbortController();
    const ask = (address: string) => fetch(url, { signal: leaving.signal, headers: { 'x-forwarded-for': address } });
    // Twelve are open, and the others wait.
    const held = Array.from({ length: 40 }, () => ask('203.0.113.1'));
    await until(() => internet.open() >= 12);
    expect(internet.open()).toBe(12);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000_000);
    const other = await ask('203.0.113.2');
    expect((await other.arrayBuffer()).byteLength).toBe(300 * part.length);
    leaving.abort();
    await Promise.allSettled(held);
    await until(() => internet.open() === 0);
  });

  it('one that is read too slowly ends after ten minutes, and the next one has its place', async () => {
    const part = Buffer.alloc(64 * 1024);
    internet.serve((_visit, response) => {
      response.writeHead(200, { 'content-type': 'image/png' });
      Readable.from(Array.from({ length: 300 }, () => part)).pipe(response);
    });
    const url = await store(`https://${publicName}/x.png`);
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const ask = () => fetch(url, { headers: { 'x-forwarded-for': '203.0.113.3' } });
    const held = await Promise.all(Array.from({ length: 12 }, ask));
    const ends = timers.mock.calls.filter(([, milliseconds]) => milliseconds === 600_000).map(([end]) => end);
    timers.mockRestore();
    expect(ends).toHaveLength(12);
    const next = ask();
    expect(internet.open()).toBe(12);
    // The ten minutes are over.
    for (const end of ends) end();
    expect((await (await next).arrayBuffer()).byteLength).toBe(300 * part.length);
    const answers = await Promise.allSettled(held.map((answer) => answer.arrayBuffer()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['rejected']));
    await until(() => internet.open() === 0);
  });

  it('one that never begins holds up nobody but its own address', async () => {
    internet.serve(() => undefined);
    const url = await store(`https://${publicName}/slow.png`);
    const leaving = new AbortController();
    const ask = (address: string) => fetch(url, { signal: leaving.signal, headers: { 'x-forwarded-for': address } });
    const held = Array.from({ length: 90 }, () => ask('203.0.113.1'));
    // Twelve are in progress, sixty wait.
    const refused = await Promise.any(held);
    expect(refused.status).toBe(429);
    internet.serve((_visit, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(png));
    expect((await ask('203.0.113.2')).status).toBe(200);
    leaving.abort();
    await Promise.allSettled(held);
    await until(() => internet.open() === 0);
  });

  it('many addresses of one network hold up nobody elsewhere', async () => {
    internet.serve(() => undefined);
    const url = await store(`https://${publicName}/slow.png`);
    const leaving = new AbortController();
    const ask = (address: string) => fetch(url, { signal: leaving.signal, headers: { 'x-forwarded-for': address } });
    let refused = 0;
    const held = Array.from({ length: 330 }, async (_, index) => {
      const { status } = await ask(`2001:db8:1:${index % 33}::1`);
      if (status === 429) refused += 1;
    });
    // Sixty are in progress, two hundred and forty wait.
    await until(() => refused === 30);
    await until(() => internet.open() === 60);
    internet.serve((_visit, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(png));
    for (const address of ['2001:db8:2:1::1', '203.0.113.2']) expect((await ask(address)).status).toBe(200);
    leaving.abort();
    await Promise.allSettled(held);
    await until(() => internet.open() === 0);
  });

  it('covers of music come the same way, by their place, the first that is secure', async () => {
    internet.serve((_visit, response) => response.writeHead(200, { 'content-type': 'image/jpeg' }).end(png));
    const clips = [7, { image_url: `http://${publicName}/a.jpg`, image_large_url: `https://${publicName}/b.jpg` }, { image_url: 5 }];
    await store('', { platform: 'suno', upstream_id: 'song/1', data: JSON.stringify(clips) });
    await store(`https://${publicName}/c.png`, { upstream_id: 'drawing-1' });
    const cover = (path: string) => fetch(`${app.origin}/suno/image/${path}`);
    const shown = await cover('song%2F1/1');
    expect(shown.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(png);
    expect(internet.visits.at(-1)?.path).toBe('/b.jpg');
    const before = internet.visits.length;
    for (const path of ['song%2F1/0', 'song%2F1/2', 'song%2F1/3', 'song%2F1/-1', 'song%2F1/length', 'other/0', 'drawing-1/0']) {
      const answer = await cover(path);
      expect(answer.status, path).toBe(400);
      expect(await answer.json()).toEqual({ error: 'task_not_exist' });
    }
    expect(internet.visits).toHaveLength(before);
  });

  it('of nothing known, or of a task without one, there is none', async () => {
    for (const answer of [
      await fetch(`${app.origin}/mj/image/nothing`),
      await fetch(`${app.origin}/mj-fast/mj/image/x`),
      await picture(''),
    ]) {
      expect(answer.status).toBe(400);
      expect(await answer.json()).toEqual({ error: 'midjourney_task_not_found' });
    }
  });
});
